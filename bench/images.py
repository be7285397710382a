"""One image of containers by each way to have it, in each kind of environment: the same answer and the same digest?

    python -m bench.images [--in native,runc,podman,docker,gvisor,uml,qemu]

The image has three layers: Debian with Python and busybox, a C program with its data, and changes of both with
whiteouts. Its entry point runs Python, the C program and a server, as a user of the image, in its directory, with its
variables. It comes as an OCI layout, an archive of `docker save`, an archive of `podman save`, from a registry on the
loopback, and from the stores of Docker and Podman. Docker is a daemon that the bench starts. Needs root.

Prints a line for each way and kind. The exit status is 1 where an answer or a digest differs, or is missing.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.campaigns import runs_by_kind
from bench.product import interrupted_by_sigterm, virtometer
from tests.environments.own_dockerd import OwnDockerd
from tests.environments.own_registry import own_registry
from virtometer.environments.images.debian import debian_image
from virtometer.errors import VirtometerError
from virtometer.runner.lab.context import lab_context
from virtometer.store.ledger import Ledger

_KINDS = "native,runc,podman,docker,gvisor,uml,qemu"
_NAME = "virtometer-bench-image:three"
_ENTRY = """#!/bin/sh
set -e
echo "$WHERE as $(id -u):$(id -g) in $(pwd), of $HOME"
/usr/bin/python3 -c 'print(sum(range(10**6)))'
./count 1000000
/bin/busybox httpd -f -p 127.0.0.1:18080 -h /srv/app/data &
server=$!
tries=0
until /bin/busybox wget -q -O - http://127.0.0.1:18080/page; do
    tries=$((tries + 1))
    [ $tries -lt 100 ]
    sleep 0.1
done
kill $server
find /srv/app | sort
ls /usr/share/doc 2>/dev/null | wc -l
echo "$@"
"""
_COUNT = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    unsigned long of = argc > 1 ? strtoul(argv[1], 0, 10) : 0, sum = 0;
    for (unsigned long i = 0; i < of; i++)
        sum = sum * 31 + i;
    printf("%lu\\n", sum);
    return 0;
}
"""


def _run(*words: str | Path, there: Path | None = None) -> None:
    subprocess.run([str(word) for word in words], check=True, cwd=there, stdout=subprocess.DEVNULL)


def build(layout: Path, work: Path) -> None:
    """Make the image in a layout with the tag `three`."""
    with lab_context(work) as lab:
        debian = debian_image(lab.cache, lab.journal, lab.programs, ["python3-minimal", "busybox-static"])
    image, bundle = f"{layout}:three", work / "bundle"
    root, app = bundle / "rootfs", bundle / "rootfs/srv/app"
    _run("umoci", "init", "--layout", layout)
    _run("umoci", "new", "--image", image)
    _run("umoci", "unpack", "--image", image, bundle)
    _run("cp", "--archive", f"{debian.root}/.", root)
    with (root / "etc/passwd").open("a") as users, (root / "etc/group").open("a") as groups:
        users.write("app:x:1234:1235::/srv/app:/bin/sh\n")
        groups.write("app:x:1235:\n")
    _run("umoci", "repack", "--refresh-bundle", "--image", image, bundle)
    (app / "data/old").mkdir(parents=True)
    (app / "data/old/page").write_text("old\n")
    (app / "data/gone").write_text("gone\n")
    (app / "count.c").write_text(_COUNT)
    _run("cc", "-O2", "-static", "-o", app / "count", app / "count.c")
    (app / "entry").write_text(_ENTRY)
    (app / "entry").chmod(0o755)
    _run("chown", "-R", "1234:1235", app)
    shutil.rmtree(root / "usr/share/doc", ignore_errors=True)
    _run("umoci", "repack", "--refresh-bundle", "--image", image, bundle)
    (app / "data/gone").unlink()
    shutil.rmtree(app / "data/old")
    (app / "data/old").mkdir()
    (app / "data/page").write_text("the page of the third layer\n")
    os.link(app / "data/page", app / "data/hard")
    (app / "data/soft").symlink_to("/srv/app/data/page")
    _run("umoci", "repack", "--refresh-bundle", "--image", image, bundle)
    _run(
        "umoci", "config", "--image", image, "--config.entrypoint=/srv/app/entry", "--config.cmd=of the image",
        "--config.user=app", "--config.workingdir=/srv/app", "--config.env=WHERE=inside",
    )  # fmt: skip
    shutil.rmtree(bundle)


@contextlib.contextmanager
def ways(layout: Path, work: Path, daemon: OwnDockerd) -> Iterator[Mapping[str, str]]:
    """By name: the reference of the image in each of its forms."""
    source = f"oci:{layout}:three"
    saved, archive, stored = work / "saved.tar", work / "archive.tar", f"localhost/{_NAME}"
    _run("skopeo", "copy", source, f"docker-archive:{work / 'loaded.tar'}:{_NAME}")
    daemon.docker("load", "--input", str(work / "loaded.tar"))
    daemon.docker("save", "--output", str(saved), _NAME)
    _run("skopeo", "copy", "--quiet", source, f"containers-storage:{stored}")
    try:
        _run("podman", "save", "--quiet", "--format=oci-archive", "--output", archive, stored)
        with own_registry(work) as address:
            pushed = f"docker://{address}/team/tool:three"
            _run("skopeo", "copy", "--quiet", "--dest-tls-verify=false", source, pushed)
            yield {
                "OCI layout": f"{layout}:three",
                "docker save": str(saved),
                "podman save": str(archive),
                "registry": pushed,
                "docker's store": f"docker:{_NAME}",
                "podman's store": f"podman:{stored}",
            }
    finally:
        _run("podman", "rmi", stored)


def measured(reference: str, kinds: str, out: Path) -> dict[str, tuple[str, str]]:
    """By kind: the digest of the root directory, and that of the answer, of one run each."""
    words = ["time", "--image", reference, "--in", kinds, "-r", "1", "--beside", "--out", str(out)]
    ended = virtometer(words)
    if ended.returncode:
        print(f"  status {ended.returncode}: {ended.stderr[-2000:]}", file=sys.stderr)
    if not (out / "ledger.sqlite").exists():
        return {}
    with Ledger.open(out) as ledger:
        campaign = ledger.read()
    for one in campaign.trials:
        if one.status == "failed":
            print(f"  failed: {one.reason}", file=sys.stderr)
    return {kind: (str(run.conditions["root"]), str(run.conditions["answer"])) for kind, run in runs_by_kind(campaign)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the image, run it everywhere, print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--in", dest="kinds", default=_KINDS, metavar="KINDS")
    options = parser.parse_args(arguments)
    expected = options.kinds.split(",")
    interrupted_by_sigterm()
    with tempfile.TemporaryDirectory(prefix="virtometer-bench-images-") as made, OwnDockerd() as daemon:
        work = Path(made)
        os.environ["DOCKER_HOST"] = daemon.address
        try:
            build(work / "layout", work)
        except VirtometerError as fault:
            print(f"images: {fault.sentence}", file=sys.stderr)
            return 1
        found: dict[tuple[str, str], tuple[str, str]] = {}
        with ways(work / "layout", work, daemon) as references:
            for number, (way, reference) in enumerate(references.items()):
                begun = time.monotonic()
                one = measured(reference, options.kinds, work / f"out{number}")
                print(f"{way}: {time.monotonic() - begun:.0f} s", flush=True)
                for kind in expected:
                    root, answer = one.get(kind, ("missing", "missing"))
                    found[way, kind] = root, answer
                    print(f"  {kind}: {root} answer {answer}", flush=True)
    different = set(found.values())
    same = len(different) == 1 and not any("missing" in one for one in different)
    print(f"{len(references)} ways x {len(expected)} kinds: {'all the same' if same else 'DIFFERENT'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
