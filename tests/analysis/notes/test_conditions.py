"""Comparable conditions: which results are compared, and the notes where conditions differ or change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, finding_of, simulate, trials_of, with_fields
from tests.sentences import Said
from virtometer.analysis.compare.blocks import TreatmentData, by_treatment
from virtometer.analysis.notes import conditions
from virtometer.model import Finding, Treatment

NATIVE = Place("native")


def told(found: Finding, condition: str) -> str:
    """The note that this condition is not the same on both sides."""
    (note,) = [note for note in found.notes if note.startswith("not comparable") and f" {condition}" in note]
    return note


def test_buffered_is_never_silently_compared_with_direct(said: Said) -> None:
    work = Work("disk", "disk", "random-read", "IO/s", 1e4)
    native = Place("native", conditions={"disk": {"io": "direct"}})
    uml = Place("uml", conditions={"disk": {"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"}})
    found = finding_of(simulate([native, uml], [work]), "uml", "disk")
    assert not found.comparable
    note = told(found, "disk access: buffered here")
    assert "(O_DIRECT refused: EINVAL)" in note and "direct in native" in note
    said(note)
    assert finding_of(simulate([native, replace(native, name="runc")], [work]), "runc", "disk").comparable


def test_how_the_disk_file_is_reached_is_what_is_measured_and_no_condition() -> None:
    work = Work("disk", "disk", "random-read", "IO/s", 1e4)
    native = Place("native", conditions={"disk": {"io": "direct", "disk_path": "file"}})
    qemu = Place("qemu", conditions={"disk": {"io": "direct", "disk_path": "virtio-blk"}})
    assert finding_of(simulate([native, qemu], [work]), "qemu", "disk").comparable


@pytest.mark.parametrize(
    ("here", "there", "alike"),
    [
        ("veth", "veth", True), ("tap", "veth", True), ("slirp", "veth", False), ("veth", "loopback", False),
        ("veth", "bridge", False), ("loopback", "loopback", True),
    ],
)  # fmt: skip
def test_ports_of_the_bridge_are_alike_whatever_device_is_there(here: str, there: str, alike: bool) -> None:
    assert on_paths(here, there).comparable == alike


def on_paths(here: str, there: str) -> Finding:
    """The finding of an environment with this network path, and another one in the baseline."""
    work = Work("net", "net", "stream", "B/s", 1e9)
    native = Place("native", conditions={"net": {"network_path": there}})
    other = Place("other", conditions={"net": {"network_path": here}})
    return finding_of(simulate([native, other], [work]), "other", "net")


def test_devices_of_the_bridge_have_one_name(said: Said) -> None:
    note = told(on_paths("slirp", "veth"), "network path: slirp here")
    assert "veth" not in note
    said(note)


def test_a_condition_that_only_one_side_tells_is_a_difference(said: Said) -> None:
    found = finding_of(simulate([NATIVE, Place("qemu", conditions={"memory triad 64 MB": {"pages": "huge"}})]), "qemu")
    said(told(found, "pages: huge here, not reported in native"))


def test_where_guests_are_kept_is_compared_only_with_guests_that_are_not_kept_anywhere(said: Said) -> None:
    name = "memory triad 64 MB"

    def place(own: str, where: str) -> Place:
        return Place(own, conditions={name: {"guest_processors": where}})

    for here, there in (("7", "6-7"), ("all", "all")):
        assert finding_of(simulate([place("native", there), place("uml", here)]), "uml").comparable
    found = finding_of(simulate([place("native", "7"), place("uml", "all")]), "uml")
    assert found.unlike == ("guest_processors",)
    said(told(found, "processors of the guest: all here"))


def test_guests_that_compete_for_processors_otherwise_are_not_alike(said: Said) -> None:
    def place(own: str, group: str) -> Place:
        return Place(own, conditions={"memory triad 64 MB": {"scheduling_group": group}})

    alike, other = "own, weight 8 times", "of the daemon"
    assert finding_of(simulate([place("native", alike), place("runc", alike)]), "runc").comparable
    found = finding_of(simulate([place("native", alike), place("libvirt", other)]), "libvirt")
    assert found.unlike == ("scheduling_group",)
    note = told(found, f"scheduling group: {other} here")
    assert f"{alike} in native" in note
    said(note)


def test_other_reasons_for_the_same_condition_are_no_difference() -> None:
    name = "memory triad 64 MB"
    one = Place("native", conditions={name: {"io": "buffered", "io_reason": "was asked for"}})
    two = Place("uml", conditions={name: {"io": "buffered", "io_reason": "O_DIRECT refused"}})
    assert finding_of(simulate([one, two]), "uml").comparable


def test_sizes_that_caches_may_hold_are_noted_and_no_difference() -> None:
    name, reason = "memory triad 64 MB", "a size of 1 MiB is less than 4 times the last-level cache of 32 MiB"
    partly = Place("uml", conditions={name: {"cached": "partly", "cached_reason": reason}})
    found = finding_of(simulate([NATIVE, partly]), "uml")
    assert found.comparable
    assert f"in uml caches may hold what is measured: {reason}" in found.notes
    beyond = finding_of(simulate([NATIVE, replace(partly, conditions={name: {"cached": "no"}})]), "uml")
    assert not any("caches" in note for note in beyond.notes)


def test_conditions_that_change_between_trials_of_one_environment_are_reported(said: Said) -> None:
    campaign = simulate([NATIVE, Place("uml")], blocks=8)
    first = trials_of(campaign, "uml")[0]
    found = finding_of(with_fields(campaign, {first: {"conditions": {"simd": "sse2"}}}), "uml")
    assert not found.comparable
    note = told(found, "in uml, vector instruction set changed")
    assert "(avx2 in 7, sse2 in 1 of them)" in note
    said(note)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"threads": 2}, "not comparable: threads: 2 here, 1 in native"),
        ({"parameters": {"size": 1}}, "not comparable: size: 1 here, 67108864 in native"),
    ],
)
def test_other_threads_and_parameters_are_not_alike(change: dict[str, object], note: str) -> None:
    campaign = simulate([NATIVE, Place("uml")], blocks=6)
    assert note in finding_of(with_fields(campaign, dict.fromkeys(trials_of(campaign, "uml"), change)), "uml").notes


@pytest.mark.parametrize("place", ["file", "peer", "time-server", "arguments"])
def test_where_a_file_or_a_peer_lies_is_no_difference(place: str) -> None:
    campaign = simulate([NATIVE, Place("uml")], blocks=6)
    change: dict[int, dict[str, object]] = {
        index: {"parameters": {"size": 64 << 20, place: f"/x{index}"}} for index in trials_of(campaign, "uml")
    }
    assert finding_of(with_fields(campaign, change), "uml").comparable


def cells_of(*places: Place, blocks: int = 6) -> list[TreatmentData]:
    return list(by_treatment(simulate(places, blocks=blocks)).values())


def test_differences_are_by_the_name_of_the_condition_in_order(said: Said) -> None:
    name = "memory triad 64 MB"
    here, there = cells_of(
        Place("native", conditions={name: {"store": "temporal", "pages": "small", "simd": "avx2"}}),
        Place("uml", conditions={name: {"store": "non-temporal", "colour": "red", "simd": "avx2"}}),
    )
    found = conditions.differences(there, here)
    assert list(found) == ["colour", "pages", "store"]
    said("\n".join(found.values()))


def test_a_side_that_measured_nothing_differs_in_nothing() -> None:
    native, _ = cells_of(NATIVE, Place("uml", conditions={"memory triad 64 MB": {"io": "direct"}}))
    empty = TreatmentData(Treatment("box", "memory triad 64 MB"))
    assert conditions.differences(empty, native) == conditions.differences(native, empty) == {}
    assert conditions.changes(empty) == {}
    assert conditions.notes(empty) == []


def test_a_cell_is_like_itself() -> None:
    (native,) = cells_of(Place("native", conditions={"memory triad 64 MB": {"io": "direct", "simd": "sse2"}}))
    assert conditions.differences(native, native) == conditions.changes(native) == {}


def test_both_reasons_are_reported_each_beside_its_own_side(said: Said) -> None:
    name = "memory triad 64 MB"
    here, there = cells_of(
        Place("native", conditions={name: {"io": "direct", "io_reason": "was asked for"}}),
        Place("uml", conditions={name: {"io": "buffered", "io_reason": "refused"}}),
    )
    note = conditions.differences(there, here)["io"]
    assert "buffered here (refused)" in note and "direct in native (was asked for)" in note
    said(note)


def test_a_condition_that_only_some_trials_tell_is_a_change(said: Said) -> None:
    campaign = simulate([NATIVE, Place("uml")], blocks=6)
    first = trials_of(campaign, "uml")[0]
    reported = {"simd": "avx2", "huge_pages": "yes"}
    table = by_treatment(with_fields(campaign, {first: {"conditions": reported}}))
    found = conditions.changes(table["memory triad 64 MB", "uml"])
    assert list(found) == ["huge_pages"] and "(not reported in 5, yes in 1 of them)" in found["huge_pages"]
    said(found["huge_pages"])


def test_each_note_on_caches_is_reported_once() -> None:
    campaign = simulate([NATIVE], blocks=6)
    reasons = {0: "b", 1: "a", 2: "b"}
    change: dict[int, dict[str, object]] = {n: {"conditions": {"cached_reason": why}} for n, why in reasons.items()}
    (data,) = by_treatment(with_fields(campaign, change)).values()
    said = conditions.notes(data)
    assert [one.text for one in said] == [f"in native caches may hold what is measured: {why}" for why in "ab"]
    assert [one.brief for one in said] == [f"caches may hold what is measured: {why}" for why in "ab"]


def test_files_that_a_command_has_written_otherwise_are_named() -> None:
    work = Work("command", "command", "time", "s", 0.02, parameters={"check-files": '["made", "a b"]'})
    native, box = (Place(name, conditions={"command": {"files": name}}) for name in ("native", "box"))
    found = finding_of(simulate([native, box], [work]), "box", "command")
    assert found.unlike == ("files",)
    assert "made, a b" in told(found, "contents")
