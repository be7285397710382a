"""Documents whose end is made by `make contract`: what people write stands above a mark, what is made below it."""

from pathlib import Path

BEGIN = "<!-- below: make contract -->\n"


def with_made(document: Path, made: str) -> str:
    """The text of the document with a new part below its mark. Raises ValueError where it lacks the mark."""
    before, found, _ = document.read_text(encoding="utf-8").partition(BEGIN)
    if not found:
        raise ValueError(f"{document.name} lacks the mark {BEGIN.strip()}")
    return before + BEGIN + "\n" + made
