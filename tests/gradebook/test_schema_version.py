"""The version of a new gradebook's tables is the one that nbgrader's own way finds."""

import os
import sys
from pathlib import Path

from nbgrader import api

from autograder.gradebook import nbgrader_course, schema_version

theirs = api.get_alembic_version


def test_it_is_what_alembics_program_says(monkeypatch):
    import subprocess

    from nbgrader.dbutil import _temp_alembic_ini

    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", os.pathsep.join([str(programs), os.environ["PATH"]]))
    with _temp_alembic_ini("sqlite://") as file:
        said = subprocess.check_output(["alembic", "-c", file, "heads"], text=True)
    assert schema_version.schema_version() == said.split()[0]


def test_nbgrader_asks_us():
    assert nbgrader_course.__name__ and api.get_alembic_version is schema_version.schema_version
