"""What a question of a study may say."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.studies.questions import KEPT, Answer, Parameter, Work

CELLS = {"item": "5.1"}
ASKED: dict[str, Any] = {"question": "Is it so?", "published": "Yes."}
WORK = {"name": "disk", "cells": {"item": "6.3"}}
PURPOSE = {"name": "disk", "cells": CELLS, "ranks": {"metric": "rank"}}


def test_words_of_a_file_become_selectors() -> None:
    answer = Answer.model_validate({**ASKED, "capacity": {"works": [WORK]}})
    assert answer.capacity is not None and answer.capacity.kept == KEPT == 0.9
    assert answer.selectors == [{"item": ["6.3"]}]


@pytest.mark.parametrize(
    ("way", "selectors"),
    [
        ({"cells": CELLS}, 1),
        ({"effects": {"cells": CELLS, "parameters": [{"name": "virtualization"}]}}, 1),
        ({"fairness": {"works": [WORK, {"name": "memory", "measured": {"workload": "memory"}}]}}, 1),
        ({"ranking": {"tools": ["devices"], "purposes": [PURPOSE]}}, 2),
        ({"steps": {"stages": [{"name": "a", "cells": {}}, {"name": "b", "cells": {}}],
                    "groups": [{"name": "all", "cells": CELLS}]}}, 1),
    ],
)  # fmt: skip
def test_a_question_is_answered_in_one_way(way: dict[str, Any], selectors: int) -> None:
    assert len(Answer.model_validate({**ASKED, **way}).selectors) == selectors
    with pytest.raises(ValidationError, match="one of cells"):
        Answer.model_validate({**ASKED, **way, "capacity": {"works": [WORK]}})


def test_a_question_without_a_way_is_none() -> None:
    with pytest.raises(ValidationError, match="one of cells"):
        Answer.model_validate(ASKED)


@pytest.mark.parametrize(
    "wrong",
    [
        {"field": "bits", "levels": [32]},
        {"levels": [32, 64]},
        {"free": ["virtualizer"]},
        {"field": "colour", "levels": ["red", "blue"]},
        {"field": "bits", "levels": [32, 64], "free": ["colour"]},
    ],
)
def test_a_parameter_has_a_known_field_with_two_levels_or_none(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Parameter.model_validate({"name": "some", **wrong})


def test_a_work_is_about_something() -> None:
    with pytest.raises(ValidationError, match="cells"):
        Work(name="disk")
