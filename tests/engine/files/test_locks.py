"""One process at a time has a lock, and none keeps it when it is gone."""

import subprocess
import sys

import pytest

from autograder.engine import AutograderError
from autograder.engine.files import locked


@pytest.mark.parametrize("place", ["", "lock"])
def test_one_at_a_time_has_the_lock_of_a_folder_or_a_file(tmp_path, place):
    with locked(tmp_path / place, "mine"):
        with pytest.raises(AutograderError, match="yours"), locked(tmp_path / place, "yours"):
            pytest.fail("two have it")
        assert list(tmp_path.iterdir()) == ([tmp_path / place] if place else [])
    with locked(tmp_path / place, "again"):
        pass


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path):
    code = (
        "import pathlib, sys, time\nfrom autograder.engine.files import locked\n"
        "with locked(pathlib.Path(sys.argv[1]), ''):\n    print(flush=True)\n    time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(AutograderError, match="busy"), locked(tmp_path, "busy"):
            pytest.fail("two have it")
        process.kill()
    with locked(tmp_path, "free"):
        pass
