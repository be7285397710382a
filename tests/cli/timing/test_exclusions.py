"""Options of `virtometer time` that exclude each other."""

import pytest

from tests.sentences import Said
from virtometer.cli.timing.exclusions import refuse_excluded
from virtometer.errors import UsageError


@pytest.mark.parametrize(
    "given",
    [
        {"--cold": True, "--runs": 3},
        {"--value": "x", "--cold": True},
        {"--enter": True, "--cold": True},
        {"--value": "x", "--min-runs": 1},
        {"--cache cold": True, "--user": "nobody"},
        {"--cache cold": True, "--volume": ["/a:/b"]},
        {"--profile": True, "--ulimit": ["nofile=9"]},
        {"--profile": True, "--cpus": 1.0},
        {"--profile": True, "--memory": "64M"},
        {"--profile": True, "--cpuset-cpus": "0"},
        {"--profile": True, "--security-opt": ["no-new-privileges"]},
    ],
)
def test_what_has_no_meaning_beside_another_is_refused(said: Said, given: dict[str, object]) -> None:
    with pytest.raises(UsageError) as refused:
        refuse_excluded(given)
    said(refused.value.sentence)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"--cold": True, "--runs": None, "--cache cold": True},
        {"--value": "x", "--cold": False, "--runs": None},
        {"--cache cold": True, "--volume": [], "--user": None},
        {"--runs": 3, "--user": "nobody"},
    ],
)
def test_what_is_not_given_excludes_nothing(given: dict[str, object]) -> None:
    refuse_excluded(given)
