"""The agent as it is delivered holds nothing that is only for tests."""

import subprocess

from tests.house.tracked import ROOT


def test_the_agent_is_built_without_the_planted_clock() -> None:
    """Features that the tests of another crate need must not reach the product."""
    argv = ["cargo", "tree", "--locked", "--offline", "--edges", "normal,build,features", "--package"]
    trees = {
        package: subprocess.run([*argv, package], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for package in ("virtometer-agent", "virtometer-kernels")
    }
    for tree in trees.values():
        assert 'virtometer-sampling feature "default"' in tree
        assert "planted-clock" not in tree
