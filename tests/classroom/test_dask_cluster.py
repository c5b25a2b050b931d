"""Where workers come from: those of our own come up in time, and a cluster answers, or it is said."""

import pytest

from autograder.classroom.errors import NoWorkers


def test_workers_that_do_not_come_up_are_not_waited_for(assignment, two_submissions, monkeypatch):
    monkeypatch.setattr("autograder.classroom.dask_cluster.START_SECONDS", 0.1)
    with pytest.raises(NoWorkers, match="cannot be started here .*fewer --jobs"):
        list(grade_all(two_submissions, RunSettings(assignment), 2))


def test_a_scheduler_that_is_not_there_is_wrong_usage(grade, hand_in, monkeypatch):
    monkeypatch.setattr("autograder.classroom.dask_cluster.CONNECT_SECONDS", 0.5)
    hand_in("s001")
    status, said, _ = grade("tcp://127.0.0.1:9")
    assert status == 2
    assert "No Dask scheduler answers at `tcp://127.0.0.1:9`" in said and said.count("\n") == 1
    assert grade("nonsense://")[0] == 2
