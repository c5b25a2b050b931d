"""`collect`, which reads what platforms hand out, and `export`, which writes what they take back."""

from pathlib import Path

import pytest
from downloads import Collect
from exports import Export, write_class


@pytest.fixture
def into(tmp_path):
    return tmp_path / "submitted"


@pytest.fixture
def collect(tmp_path, capfd) -> Collect:
    """Collect downloads into `into`; return status and what was said."""
    return Collect(tmp_path, capfd)


@pytest.fixture
def class_folder(tmp_path, monkeypatch) -> Path:
    """A course with results of three."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program
    write_class()
    return tmp_path


@pytest.fixture
def export(class_folder, capfd) -> Export:
    """Run the command; return its status and what was said."""
    return Export(capfd)
