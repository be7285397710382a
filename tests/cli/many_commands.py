"""Runs several command lines in one process, each with standard streams of its own in the encoding of this process.

The lines stand in a JSON list on standard input. Standard output gets a JSON list: status, output and errors in base64.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys

from virtometer import cli


def call(words: list[str]) -> tuple[int, bytes, bytes]:
    """Status, standard output and standard error of one command line."""
    streams = io.BytesIO(), io.BytesIO()
    own = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(raw, encoding=one.encoding, errors=one.errors) for raw, one in zip(streams, own, strict=True)
    )
    try:
        status = cli.main([os.fsdecode(word.encode()) for word in words])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        kept = sys.stdout, sys.stderr  # their buffers must outlive them
        sys.stdout, sys.stderr = own
    out, err = (raw.getvalue() for raw in streams)
    del kept
    return status, out, err


if __name__ == "__main__":
    lines = json.loads(sys.stdin.buffer.read())
    found = [call(line.split()) for line in lines]
    shown = [[status, base64.b64encode(out).decode(), base64.b64encode(err).decode()] for status, out, err in found]
    sys.stdout.buffer.write(json.dumps(shown).encode())
