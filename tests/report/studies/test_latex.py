"""A study as a LaTeX document."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.report.studies.filled import filled, printed
from virtometer.report.studies import latex
from virtometer.studies.data import studies

SPECIAL = re.compile(r"(?<!\\)[#$%]")


def test_every_special_character_is_escaped() -> None:
    assert latex.escaped("a_b 50% #1 $x") == r"a\_b 50\% \#1 \$x"
    assert latex.escaped("^2 {y} & ~") == r"\textasciicircum{}2 \{y\} \& \textasciitilde{}"
    assert latex.escaped("[s]") == "{[}s{]}"  # after a rule or a line a bracket would begin an option
    assert latex.escaped("z\\") == r"z\textbackslash{}"
    assert latex.escaped('"<±>|') == r"\textquotedbl{}\textless{}\ensuremath{\pm}\textgreater{}\textbar{}"
    assert latex.escaped("Jiří Župka \u4e2d\x07") == "Jiří Župka ??"


@pytest.mark.parametrize("study", studies())
def test_documents_are_balanced(study: str) -> None:
    text = latex.document(printed(study), "figures")
    body = text.partition(r"\begin{document}")[2]
    assert body.count(r"\begin{longtable}") == body.count(r"\end{longtable}") > 0
    assert body.count(r"\toprule") == body.count(r"\bottomrule") == body.count(r"\begin{longtable}")
    plain = body.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    assert not SPECIAL.search(body)
    assert text.rstrip().endswith(r"\end{document}")


def test_every_row_has_the_columns_of_its_table() -> None:
    text = latex.document(filled(), "")
    for shape, rows in re.findall(r"\\begin\{longtable\}\{@\{\}(.*?)@\{\}\}(.*?)\\end\{longtable\}", text, re.DOTALL):
        columns = shape.count("p{")
        for line in rows.splitlines():
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == columns - 1, line


def test_filled_cells_have_their_lines() -> None:
    text = latex.document(filled(), "")
    assert r"\quad efficiency here" in text and "0.3353 {[}0.3067, 0.3667{]}" in text
    assert r"box \& \textless{}b\textgreater{}" in text


def test_figures_are_named_as_the_document_includes_them() -> None:
    of = printed()
    text, pictures = latex.document(of, "figures"), latex.figures(of)
    included = re.findall(r"\\includegraphics\[.*?\]\{figures/(.*?)\.pdf\}", text)
    assert included == list(pictures) and "f5-1" in included and "5-1" not in included
    assert "includegraphics" not in latex.document(of, "")
    assert all("var(" not in svg for svg in pictures.values())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="texlive-latex-recommended is not installed")
@pytest.mark.parametrize("study", studies())
def test_documents_compile(study: str, tmp_path: Path) -> None:
    (tmp_path / "page.tex").write_text(latex.document(printed(study), ""), encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"], cwd=tmp_path, check=True, timeout=300
    )
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
