"""What a worker does by itself: it claims a processor, and says what it grades with."""

import subprocess
import sys


def test_the_process_that_runs_a_class_does_not_import_torch():
    code = (
        "import sys, autograder.cli.grade, autograder.classroom.scheduler, "
        "autograder.classroom.dask_cluster; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
