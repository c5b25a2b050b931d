"""The kill test in short: a run and a worker, each killed once without warning."""

import os
import subprocess
import sys

import pytest

from tests.benchmarks.checkout import CHECKOUT

pytestmark = pytest.mark.walls


def test_after_a_kill_everything_is_as_if_nothing_had_happened(assignment, tmp_path):
    command = [sys.executable, "-m", "tests.kills.kills", "--rounds", "2", "--students", "5"]
    command += ["--assignment", assignment.id]
    done = subprocess.run(
        [*command, "--into", str(tmp_path)],
        cwd=CHECKOUT,
        env=os.environ | {"COLUMNS": "110"},
        capture_output=True,
        text=True,
    )
    log = (tmp_path / "kills.txt").read_text()
    assert done.returncode == 0, done.stdout + done.stderr
    assert [log.count(f"│ {victim} ") for victim in ("run", "worker")] == [1, 1]
    assert log.count("as undisturbed") == 2
