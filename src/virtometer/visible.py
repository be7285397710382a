"""Text from outside as data: characters that a terminal obeys, or that nobody sees, become visible escapes.

Guests, tools, plans and file names bring text. In it may be escape sequences (C0, C1, DEL), marks that reorder a line
(bidirectional controls), characters without width, separators of lines, and surrogates. Each becomes an escape as in
Python: ESC is `\\x1b`, U+202E is `\\u202e`, a line break is `\\n`. The rest, the backslash too, stays as it is.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def visible(text: str, keep: str = "") -> str:
    """The text with escapes for its hidden characters, but for those in `keep` (a line break, a tab)."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def one_line(text: str, most: int = 300) -> str:
    """The end of a text of several lines as one visible line of at most `most` characters."""
    return visible(" ".join(text.split()))[-most:]


def shortened(text: str, most: int = 500) -> str:
    """At most `most` characters of a text; three dots show that it was longer."""
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def bounded(text: str, most: int = 1000) -> str:
    """Each line of a text with at most about `most` characters: what is left out of its middle is counted."""
    if len(text) <= most:
        return text
    return "\n".join(_without_middle(line, most) for line in text.split("\n"))


def _without_middle(line: str, most: int) -> str:
    if len(line) <= most:
        return line
    begin, end = most * 2 // 3, most // 3
    return f"{line[:begin]} ... ({len(line) - begin - end:,} characters left out) ... {line[-end:]}"


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
