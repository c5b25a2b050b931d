"""The command line, for a class whose workers grade with `cheap.py`."""

import os
import sys

import nbgrader.api

from autograder.classroom import dask_cluster
from autograder.cli.main import main
from autograder.text import guard_streams

if __name__ == "__main__":
    guard_streams()
    nbgrader.api.get_alembic_version = lambda: "0"  # starts a program
    dask_cluster.NO_WORKER_SECONDS = float(os.environ["NO_WORKER_SECONDS"])
    sys.exit(main())
