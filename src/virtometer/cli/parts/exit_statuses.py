"""Exit statuses: from the tree of errors itself, and those that are the result of a test."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.errors import VirtometerError

OF_OUTCOMES = {"not worse": 0, "worse": 20, "open": 21}
"""Of `virtometer compare`, by its outcome."""

FOUND = 20
"""Of `virtometer check-table` and of `virtometer study show --check`, where something was found."""

_TESTS = {
    OF_OUTCOMES["worse"]: "worse: `compare` shows a loss of more than the margin, or a table was checked with findings",
    OF_OUTCOMES["open"]: "open: `compare` neither shows nor excludes a loss of more than the margin",
}


def exit_statuses() -> dict[int, str]:
    """What each exit status means, by number. The words are those of the topmost error that has the status."""
    meanings = {0: "it worked", 1: "a fault of Virtometer itself", **_TESTS}
    for error in _tree(VirtometerError):
        if error.exit_status not in meanings:
            meanings[error.exit_status] = _sentence(error)
    return dict(sorted(meanings.items()))


def epilog() -> str:
    """The paragraph of `virtometer --help`: one status a line, which the \\b before it keeps."""
    return "\n".join(["\b", "Exit statuses:", *(f"{number:>4}  {words}" for number, words in exit_statuses().items())])


def _tree(root: type[VirtometerError]) -> Iterator[type[VirtometerError]]:
    for error in root.__subclasses__():
        yield error
        yield from _tree(error)


def _sentence(error: type[VirtometerError]) -> str:
    words = (error.__doc__ or error.__name__).strip().splitlines()[0].rstrip(".")
    return words[:1].lower() + words[1:]
