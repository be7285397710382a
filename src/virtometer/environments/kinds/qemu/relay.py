"""A machine's network through a socket: QEMU writes each frame as a datagram, and socat carries it to a tap.

Sources: qemu-options (dgram), socat(1).
"""

from __future__ import annotations

import shlex
from pathlib import Path

from virtometer.environments.parts.process_guest import ProcessGuest

_LARGEST_FRAME = 65_550
# A directory's own path may be too long for the name of a socket. socat drops what comes from a name that it was not
# given, so that both programs use this one.
_HERE = "/proc/self/cwd"

# Arguments: the tap, then QEMU's own words. The relay keeps no descriptor of QEMU's, so that the channels of a machine
# that has ended are seen to be closed. It begins when QEMU listens, because a frame that nobody takes ends it.
_RELAY = f"""
cd DIRECTORY || exit 1
tap=$1 machine=$$
shift
(
    for fd in /proc/self/fd/*; do fd=${{fd##*/}}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done
    until [ -S machine ]; do kill -0 $machine || exit 1; sleep 0.01; done
    exec SOCAT -b {_LARGEST_FRAME} "TUN,tun-name=$tap,tun-type=tap,iff-no-pi" UNIX-SENDTO:HERE/machine,bind=HERE/relay
) &
exec "$@"
"""


def relayed(guest: ProcessGuest, directory: Path, tap: str) -> tuple[list[str | Path], str]:
    """Words before QEMU's own that start a relay between its socket and a tap, and the value of `-netdev`.

    The relay belongs to the guest, so that its work is counted, and is ended with it. Raises MissingProgram.
    """
    programs = guest.lab.programs
    socat, bash = programs.find("socat", "socat"), programs.find("bash", "bash")
    script = _RELAY
    words = {"SOCAT": shlex.quote(str(socat)), "DIRECTORY": shlex.quote(str(directory.resolve())), "HERE": _HERE}
    for name, word in words.items():
        script = script.replace(name, word)
    ends = [
        f"{side}.type=unix,{side}.path={_HERE}/{name}" for side, name in (("local", "machine"), ("remote", "relay"))
    ]
    return [bash, "-c", script, "bash", tap], f"dgram,id=lan,{','.join(ends)}"
