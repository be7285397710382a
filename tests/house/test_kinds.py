"""What belongs to a kind of environment stands in its file: no other source names it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

import pytest

from tests.house.test_circles import graph, module_of
from tests.house.test_imports import FILES
from virtometer.environments.registry import KINDS

MODULES = {module_of(file): file for file in FILES}
REGISTRY = "virtometer.environments.registry"

# module -> kinds that it may name, each with the reason.
EXCEPTIONS = {
    "virtometer.model.plan": {"native"},  # the name that the baseline of a plan has by default
    # KVM of the host, which kinds use by QEMU and by its daemon, and what is advised where it cannot be used.
    "virtometer.environments.parts.firmware_check": {"kvm", "native", "qemu", "qemu-system-x86", "qemu-system-x86_64"},
    "virtometer.host.kvm_probe": {"kvm"},
    # The role of a published value: a system without virtualization.
    "virtometer.cli.study.agreement": {"native"},
    "virtometer.studies.shared_runs": {"native"},
    # A store of images, from which every kind can have one.
    "virtometer.cli.image": {"docker", "podman"},
    "virtometer.cli.timing.verb": {"docker"},
    "virtometer.environments.images.oci.source": {"docker", "docker.io", "podman"},
    "virtometer.environments.images.oci.unpacking": {"docker", "podman"},
    "virtometer.environments.parts.root_settings": {"docker", "podman"},
}


def owners(imports: Mapping[str, Set[str]], kinds: Set[str]) -> dict[str, str]:
    """Module -> the module of the kind to which it belongs, because nothing else imports it, directly or not."""
    found = {module: module for module in kinds}
    grew = True
    while grew:
        grew = False
        for module in imports.keys() - found.keys():
            by = {found.get(other, "") for other, targets in imports.items() if module in targets}
            if len(by) == 1 and "" not in by:
                found[module] = by.pop()
                grew = True
    return found


def named(text: str, words: Set[str]) -> set[str]:
    """Which of the words stand in a text, in capitals or not."""
    return {word for word in words if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE)}


WORDS = {
    *KINDS,
    *(word for kind in KINDS.values() if kind.package for word in (kind.program, kind.package)),
}


def test_no_other_source_names_a_kind() -> None:
    owned = owners(graph(MODULES), {kind.__module__ for kind in KINDS.values()}) | {REGISTRY: REGISTRY}
    others = MODULES.keys() - owned.keys()
    assert len(others) > 100
    wrong = {module: named(MODULES[module].read_text(), WORDS) - EXCEPTIONS.get(module, set()) for module in others}
    assert not {module: words for module, words in wrong.items() if words}


def test_no_exception_is_needless() -> None:
    assert {module: named(MODULES[module].read_text(), WORDS) for module in EXCEPTIONS} == EXCEPTIONS


def test_what_two_kinds_import_belongs_to_none() -> None:
    imports: dict[str, set[str]] = {"a": {"shared", "own"}, "b": {"shared"}, "own": {"deep"}, "registry": {"a", "b"}}
    imports |= {"shared": set(), "deep": set()}
    assert owners(imports, {"a", "b"}) == {"a": "a", "b": "b", "own": "a", "deep": "a"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('if kind == "runc":', {"runc"}),
        ("# as QEMU does", {"qemu"}),
        ("import runcible", set()),
        ("qemu-system-x86_64", set()),
        ("native_ns, alternative", set()),
    ],
)
def test_a_name_is_found_as_a_word(text: str, words: set[str]) -> None:
    assert named(text, {"runc", "qemu", "native"}) == words
