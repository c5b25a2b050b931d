"""The kill test in short: a run is killed once without warning, and in `make test-long` a worker."""

import os
import subprocess
import sys

import pytest

from tests.benchmarks.checkout import CHECKOUT

pytestmark = pytest.mark.walls


@pytest.mark.parametrize(
    "victims", [["run"], pytest.param(["run", "worker"], marks=pytest.mark.long)], ids=" ".join
)
def test_after_a_kill_everything_is_as_if_nothing_had_happened(victims, small, tmp_path):
    rounds = str(len(victims))
    command = [sys.executable, "-m", "tests.kills.kills", "--rounds", rounds, "--students", "4"]
    command += ["--assignment", small.id, "--course", str(small.course.root)]
    done = subprocess.run(
        [*command, "--into", str(tmp_path)],
        cwd=CHECKOUT,
        env=os.environ | {"COLUMNS": "110"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    log = (tmp_path / "kills.txt").read_text()
    assert [log.count(f"│ {victim} ") for victim in victims] == [1] * len(victims)
    assert log.count("as undisturbed") == len(victims)
