"""Packages of another architecture than the host's, from the archives that apt knows, without telling the host's apt.

apt gets lists and a state of its own in a directory: nothing is added to the host's architectures, and an ordinary user
can do it. Sources: apt.conf(5), apt-get(8).
"""

from __future__ import annotations

from pathlib import Path

from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs

_UPDATE_S = 180.0


def foreign(architecture: str, directory: Path, programs: Programs) -> tuple[str, ...]:
    """Options with which apt-get and apt-cache know the packages of an architecture; their lists lie in `directory`.

    Raises EnvironmentFailed where none of the archives could be read.
    """
    state, cache, status = directory / "state", directory / "cache", directory / "status"
    for part in (state / "lists" / "partial", cache / "archives" / "partial"):
        part.mkdir(parents=True)
    status.touch()
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Sandbox::User": "root",  # apt's own user may not write here; as an ordinary user without an effect
        "Acquire::Languages": "none",
        "Dir::State": state,
        "Dir::State::status": status,
        "Dir::Cache": cache,
    }
    options = tuple(word for name, value in settings.items() for word in ("-o", f"{name}={value}"))
    update: list[str | Path] = [programs.find("apt-get", "apt"), *options, "-q", "update"]
    # Not every archive has every architecture: what the others have is enough.
    ended = programs.run(update, purpose=f"read what archives have for {architecture}", check=False, limit_s=_UPDATE_S)
    if not any("_Packages" in path.name for path in (state / "lists").iterdir()):
        lines = ended.stderr.decode(errors="replace").strip().splitlines()
        raise EnvironmentFailed(
            f"apt finds no packages for {architecture}: {lines[-1] if lines else 'it says nothing'}",
            advice="check the network, and try again",
        )
    return options
