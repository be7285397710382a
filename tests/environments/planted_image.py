"""A small image in the place of the real one: what guests do with an image shows without building one."""

from __future__ import annotations

import json
from pathlib import Path

from virtometer.environments.images import debian as debian_image
from virtometer.environments.images.debian import DebianImage
from virtometer.environments.images.root_image import make_disk
from virtometer.programs import Programs

PLACES = ("bin", "data", "dev", "etc", "proc", "run", "sys", "tmp", "usr", "usr/sbin")


def plant(cache: Path, program: Path) -> DebianImage:
    """An image whose only program is a copy of this static one, as /usr/sbin/tool; the cache has it as `debian`."""
    directory = cache / "images" / "debian-planted"
    root = directory / "root"
    for place in PLACES:
        (root / place).mkdir(parents=True, exist_ok=True)
    tool = root / "usr" / "sbin" / "tool"
    tool.write_bytes(program.read_bytes())
    tool.chmod(0o755)
    make_disk(root, directory / "disk.ext4", Programs())
    (directory / "image.json").write_text(json.dumps({"digest": "planted", "packages": {"tool": "1"}}))
    debian_image.recipe_link(cache, ()).symlink_to(directory.name)
    found = debian_image.cached_image(cache)
    assert found is not None
    return found
