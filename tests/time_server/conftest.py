"""The time server is tested in campaigns as well, with the fixtures of those."""

from tests.runner.conftest import make_plan, rogue_kind, watcher

__all__ = ["make_plan", "rogue_kind", "watcher"]
