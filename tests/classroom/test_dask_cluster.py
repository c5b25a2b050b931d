"""A cluster answers, or it is said."""

import pytest

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.classroom.dask_cluster import cluster
from autograder.classroom.errors import NoScheduler
from autograder.cli.main import main

pytestmark = pytest.mark.slow  # processes of their own

NOBODY = "tcp://127.0.0.1:9"


def test_a_scheduler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("autograder.classroom.dask_cluster.CONNECT_SECONDS", 0.5)
    with pytest.raises(NoScheduler, match=f"No Dask scheduler answers at `{NOBODY}`"):
        cluster(NOBODY).__enter__()


def test_a_scheduler_that_is_not_there_is_wrong_usage(small, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("autograder.classroom.dask_cluster.CONNECT_SECONDS", 0.5)
    folder = tmp_path / "submitted" / "s001" / small.id
    write_submission(small, folder, SampleSubmission(small.solutions, ""))
    words = ["grade", str(tmp_path / "submitted"), "--assignment", small.id, "--no-gradebook"]
    words += ["--course", str(small.course.root), "--results", str(tmp_path / "results")]
    assert main([*words, "--scheduler", NOBODY]) == 2
    said = "".join(capfd.readouterr())
    assert f"No Dask scheduler answers at `{NOBODY}`" in said and said.count("\n") == 2
    assert main([*words, "--scheduler", "nonsense://"]) == 2
