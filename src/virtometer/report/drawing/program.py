"""The program that draws: plots in Vega-Lite on lines of standard input, their SVG as JSON on those of its output.

Null asks for the scripts with which a page draws its plots. A plot that cannot be drawn is answered by an object with
the reason, `error`. It ends with its input, so also where the one who started it is killed.
"""

from __future__ import annotations

import json
import sys

import vl_convert

_FIRST = {"data": {"values": []}, "mark": "point"}


def main() -> None:
    """Answer each line."""
    vl_convert.vegalite_to_svg(_FIRST)  # starts the engine, while the first plot is still being made
    for line in sys.stdin:
        spec = json.loads(line)
        try:
            answer: object = (
                vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets the default
                if spec is None
                else vl_convert.vegalite_to_svg(spec)
            )
        except ValueError as cause:
            answer = {"error": str(cause)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
