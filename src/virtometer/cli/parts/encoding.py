"""Text for people in the encoding of the terminal or pipe, and documents in UTF-8.

Where standard output is ASCII, say, `µs` becomes `us` and other characters become escapes: no verb ends because a plan
has a name that the terminal cannot show.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import sys

_HANDLER = "virtometer-plain"
_PLAIN = {
    "µ": "u",
    "μ": "u",
    "×": "x",
    "·": "*",
    "±": "+-",
    "√": "sqrt ",
    "…": "~",
    "–": "-",
    "—": "-",
    "≥": ">=",
    "≤": "<=",
}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def degrade() -> None:
    """Let standard output and standard error replace what their encoding does not have, instead of raising."""
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(OSError, ValueError):  # it is closed
                stream.reconfigure(errors=_HANDLER)


def plain_text(text: str, encoding: str) -> str:
    """The text as `degrade` lets it through: what `encoding` does not have is replaced."""
    return text.encode(encoding, _HANDLER).decode(encoding)


def say(text: str) -> None:
    """Print text for people on standard output, with the end of its last line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def put_document(*parts: str) -> None:
    """Print a document, as UTF-8 whatever the encoding of a file or pipe: a document says itself what it is in.

    parts: texts that follow one another. A document that does not end its last line gets the end of it.
    """
    end = "" if parts and parts[-1].endswith("\n") else "\n"
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None or sys.stdout.isatty():
        sys.stdout.writelines([*parts, end])
    else:
        sys.stdout.flush()
        binary.writelines(part.encode("utf-8", "replace") for part in (*parts, end))
    sys.stdout.flush()


def _plain(error: UnicodeError) -> tuple[str, int]:
    """The handler of errors: plain words for signs that have some, else an escape as in Python."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    piece = re.sub(
        "[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: f"^{found[0].translate(_RAISED)}", error.object[error.start : error.end]
    )
    plain = "".join(_PLAIN.get(one) or one.encode("ascii", "backslashreplace").decode() for one in piece)
    return plain, error.end
