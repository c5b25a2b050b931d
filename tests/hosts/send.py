"""The command line, for a class whose workers grade with `cheap.py`."""

import functools
import os
import sys

import nbgrader.api

from autograder.classroom import dispatch, scheduler
from autograder.cli import console_run
from autograder.cli.main import main
from autograder.text import guard_streams
from tests.hosts import cheap

if __name__ == "__main__":
    guard_streams()
    console_run.grade_all = functools.partial(dispatch.grade_all, task=cheap.grade)
    nbgrader.api.get_alembic_version = lambda: "0"  # starts a program
    scheduler.NO_WORKER_SECONDS = float(os.environ["NO_WORKER_SECONDS"])
    sys.exit(main())
