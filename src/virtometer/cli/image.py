"""`virtometer image`: the images that guests start from, listed, built and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.encoding import put_document, say
from virtometer.cli.parts.verbs import add, application

if TYPE_CHECKING:
    from collections.abc import Sequence

    from virtometer.runner.lab.image_store import StoredImage

_HELP = "The images that guests start from."
image_app = application(_HELP)


@image_app.callback()
def image() -> None:
    """The images that guests start from."""


def list_(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List the images in the cache, with the room that they take."""
    from virtometer.runner.lab.image_store import stored_images

    _clean_up()
    found = stored_images()
    if as_json:
        import json

        rows = [{"name": one.name, "bytes": one.bytes, "contents": one.contents} for one in found]
        put_document(json.dumps({"images": rows}, indent=2))
    elif found:
        _show(found)
    else:
        say("no image is built; a campaign builds what it needs, and so does: virtometer image build agent")


def build(
    name: Annotated[str, typer.Argument(metavar="NAME", help="agent: kernels and the agent; debian: a user land.")],
    packages: Annotated[
        str, typer.Option("--with", metavar="PACKAGES", help="Of debian: more packages, such as iperf3,stress-ng.")
    ] = "",
    again: Annotated[bool, typer.Option("--again", help="Also where it is there.")] = False,
) -> None:
    """Build an image, which takes a minute or two. A campaign builds what it needs automatically."""
    from virtometer.cli.parts.notice import notice
    from virtometer.runner.lab.image_store import build_image

    _clean_up()
    more = [one for one in packages.replace(",", " ").split() if one]
    with notice(f"building {name} ..."):
        found, faults = build_image(name, more, again=again)
    _show(found)
    for sentence in faults:
        say(sentence)


def add_(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="IMAGE",
            help="PATH or PATH:TAG of an OCI layout or an archive, PATH of a root directory, docker:NAME, podman:NAME "
            "or docker://HOST/NAME:TAG.",
        ),
    ],
) -> None:
    """Fetch and unpack an image of containers, as which guests can have it: root oci:IMAGE. Also where it is there."""
    from virtometer.cli.parts.notice import notice
    from virtometer.runner.lab.image_store import add_image

    _clean_up()
    with notice(f"unpacking {reference} ..."):
        found = add_image(reference)
    _show([found])


def remove(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME", help="agent, debian, oci, or a name, digest or reference of the list."),
    ],
    beside: Annotated[
        bool, typer.Option("--beside", help="Also while a laboratory measures, whose guests may need the image.")
    ] = False,
) -> None:
    """Remove images. Nothing else depends on them: they are built again when they are needed."""
    from virtometer.runner.lab.image_store import remove_image

    _clean_up()
    for name in names:
        for removed in remove_image(name, beside=beside):
            say(f"removed {removed}")


def _clean_up() -> None:
    from virtometer.runner.lab.image_store import clean_up

    for sentence in clean_up():
        typer.echo(f"cleaned up: {sentence}", err=True)


def _show(found: Sequence[StoredImage]) -> None:
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        say(f"{one.name:<{width}}  {one.bytes / (1 << 20):8,.0f} MiB  {one.contents}")


add(image_app, "list", list_)
add(image_app, "build", build)
add(image_app, "add", add_)
add(image_app, "remove", remove)
