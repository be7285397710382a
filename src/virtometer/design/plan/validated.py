"""A part of a document as a model, or everything that is wrong with it, each with its line. No input or output."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from virtometer.design.plan import validation_messages
from virtometer.design.plan.document import Document, Path

Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], document: Document, path: Path, what: str) -> Model | None:
    """Validate the part of the document at `path`; None where it is wrong, which the document then knows.

    `what`: what the model's fields are called, e.g. setting.
    """
    data: Any = document.value
    for step in path:
        data = data[step]
    try:
        # Through JSON, because pydantic's strict mode takes text for an enumeration there, and a list for a tuple.
        return model.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as cause:
        errors = cause.errors(include_url=False)
        misspelt = {
            (
                *error["loc"][:-1],
                validation_messages.nearest(
                    str(error["loc"][-1]), validation_messages.fields_at(model, error["loc"][:-1])
                ),
            )
            for error in errors
            if error["type"] == "extra_forbidden"
        }
        document.refuse(
            ((*path, *error["loc"]), validation_messages.sentence(error, model, what, _given(data, error)))
            for error in errors
            if error["type"] != "missing" or error["loc"] not in misspelt  # one message for one mistake
        )
        return None


def _given(data: object, error: ErrorDetails) -> object:
    """What the plan says at the place of an error; the error's own input where the plan says nothing there."""
    found: Any = data
    try:
        for step in error["loc"]:
            found = found[step]
    except (KeyError, IndexError, TypeError):
        return error["input"]
    return found
