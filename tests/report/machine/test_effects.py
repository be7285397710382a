"""Effects in the machine interface, against its schema."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, experiment, response
from tests.house.tracked import ROOT
from virtometer.analysis.effects.effect import Effects
from virtometer.analysis.effects.of_experiment import effects
from virtometer.report.machine.effects import EFFECT, EXPERIMENT, staged, with_factors
from virtometer.report.parts.plain import plain

SCHEMA = json.loads((ROOT / "contract" / "schema" / "report.schema.json").read_text(encoding="utf-8"))
ALL = (AIO, CACHE, DUMMY)
FOUND = effects(
    experiment(
        response(ALL, lambda one: 0.2 * (one["aio"] == "io_uring" and one["cache"] == "none")),
        response(
            ALL, lambda _: 0.0, "write", skip=lambda one: one["cache"] == "unsafe" and one["dummy"] == "b", seed=2
        ),
    ),
    0.05,
)


def check(kind: str, value: object) -> None:
    jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}).validate(value)


def test_effects_have_the_fields_of_the_design_and_fit_the_schema() -> None:
    rows = plain([EFFECT.row(one) for one in staged(FOUND)])
    assert {"metric", "term", "percent", "low", "high", "share", "p_adjusted", "verdict"} <= set(rows[0])
    for row in rows:
        check("effect", row)
    first = rows[0]
    assert (first["metric"], first["term"], first["verdict"]) == ("read", "aio:cache", "influence")
    assert first["percent"] == pytest.approx(22, abs=3) and first["low"] < 22 < first["high"]
    assert {row["verdict"] for row in rows} <= {"influence", "no influence", "undecided"}


def test_the_experiment_has_factors_settings_and_what_is_lost() -> None:
    row = plain(EXPERIMENT.row(FOUND))
    check("experiment", row)
    assert row["factors"][1] == {"name": "cache", "levels": ["writeback", "none", "unsafe"]}
    (read, write) = row["metrics"]
    assert [one["factor"] for one in read["recommended"]["changed"]] == ["aio", "cache"]
    assert write["recommended"] is None and row["recommended"]["others"][1]["metric"] == "write"


def test_without_factors_there_is_none() -> None:
    assert staged(Effects()) == [] and with_factors(Effects()) is None
