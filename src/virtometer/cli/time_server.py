"""`virtometer time-server`: a reference clock for programs that read one."""

from __future__ import annotations

from typing import Annotated

import typer

from virtometer.errors import UsageError

_PORT = {"min": 0, "max": 65535, "metavar": "PORT"}


def time_server(
    tcp: Annotated[int | None, typer.Option("--tcp", help="Serve TCP on this port, 0 for any.", **_PORT)] = None,
    udp: Annotated[int | None, typer.Option("--udp", help="Serve UDP on this port, 0 for any.", **_PORT)] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="ADDRESS", help="Address of this host to listen on; 0.0.0.0 for all.")
    ] = "127.0.0.1",
    as_json: Annotated[bool, typer.Option("--json", help="Print the ports as one line of JSON.")] = False,
) -> None:
    """Give the host's time to programs in guests whose own clock is unusable, until Ctrl-C.

    Commands, one a line: start (the clock begins), time (microseconds since start), quit.
    """
    if tcp is None and udp is None:
        raise UsageError("the time server needs --tcp PORT, --udp PORT or both")
    import asyncio

    asyncio.run(_serve(listen, tcp, udp, as_json))


async def _serve(listen: str, tcp: int | None, udp: int | None, as_json: bool) -> None:
    import asyncio
    import json

    from virtometer.time_server.server import TimeServer

    server = TimeServer(tell=lambda words: typer.echo(f"virtometer: {words}", err=True))
    tcp, udp = await server.open(listen, tcp, udp)
    host = f"[{listen}]" if ":" in listen else listen
    where = [f"{name} {host}:{port}" for name, port in (("tcp", tcp), ("udp", udp)) if port is not None]
    sentence = f"serving time on {' and '.join(where)}; Ctrl-C ends it"
    typer.echo(json.dumps({"tcp": tcp, "udp": udp}) if as_json else sentence)
    try:
        await asyncio.Event().wait()
    finally:
        server.close()
