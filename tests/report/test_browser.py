"""The page in a real browser, where there is one: its policy lets scripts draw every plot, and nothing is asked for."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.report.showcase import showcase
from virtometer.analysis import analyse
from virtometer.report import render

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WATCH = (
    "<script>document.addEventListener('securitypolicyviolation', function (e) {"
    "document.documentElement.dataset.violation = e.violatedDirective + ' ' + e.blockedURI; });"
    "window.addEventListener('error', function (e) { document.documentElement.dataset.fault = e.message; });</script>"
)


def shown(page: Path, folder: Path) -> str:
    """What a browser makes of a page."""
    return subprocess.run(
        [
            str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}",
            "--virtual-time-budget=60000", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, timeout=240, check=True,
    ).stdout.decode()  # fmt: skip


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: the page was not opened in a browser")
def test_scripts_draw_every_plot_and_nothing_is_asked_for(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(render(analyse(showcase()), "html").replace("<style>", WATCH + "<style>", 1))
    document = shown(page, tmp_path)
    root = re.search(r"<html[^>]*>", document)
    assert root is not None and "data-violation" not in root[0] and "data-fault" not in root[0]
    canvases = re.findall(r'<div class="canvas[^"]*"', document)
    drawn = ["vega-embed" in canvas for canvas in canvases]
    assert len(drawn) == 16
    assert drawn.count(False) == 1, "the plot of clocks is in a closed part: it is drawn when that is opened"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: the page was not opened in a browser")
def test_a_plot_in_a_closed_part_is_drawn_when_it_is_opened(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    opening = "<script>setTimeout(function () { document.querySelectorAll('details').forEach(function (one) "
    opening += "{ one.open = true; }); }, 20000);</script></body>"
    before, _, after = render(analyse(showcase()), "html").rpartition("</body>")
    page.write_text(before + opening + after)
    canvases = re.findall(r'<div class="canvas[^"]*"', shown(page, tmp_path))
    assert len(canvases) == 16
    assert all("vega-embed" in canvas for canvas in canvases)
