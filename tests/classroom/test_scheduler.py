"""The workers of a run: lost ones, silent ones, ones of another version, and those of a cluster."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.classroom.errors import NoWorkers
from autograder.classroom.scheduler import Scheduler
from autograder.cli.main import main
from autograder.engine.fingerprint import RunSettings
from autograder.engine.submission import Submission
from tests.benchmarks.cluster import running_cluster

pytestmark = pytest.mark.walls

PARTS = "autograder", "release", "source", "pyproject.toml", "nbgrader_config.py"


def test_a_worker_that_never_reports_its_versions_is_not_waited_for(small, monkeypatch):
    monkeypatch.setattr("autograder.classroom.admission.HANDSHAKE_SECONDS", 0.1)
    monkeypatch.setattr("autograder.classroom.scheduler.POLL_SECONDS", 0.05)
    silent = SimpleNamespace(
        status="running",
        nthreads=lambda: {"tls://10.0.0.1:4001": 1, "tls://10.0.0.2:4001": 1},
        submit=lambda *_, workers, **__: SimpleNamespace(key=workers[0], add_done_callback=id),
    )
    told: list[str] = []
    scheduler = Scheduler(silent, RunSettings(small), tell=told.append)
    with pytest.raises(NoWorkers, match="has not answered"):
        list(scheduler.grade([Submission([], "s001")]))
    assert len(told) == 2 and all("gets nothing to do" in sentence for sentence in told)


@pytest.fixture
def cluster(tmp_path):
    with running_cluster(0, tmp_path / "dask") as cluster:
        yield cluster


@pytest.fixture
def grade(assignment, tmp_path, capfd):
    """Grade with the workers of the scheduler at this address; return status, what was said, and
    verdicts.
    """

    def run(address: str):
        words = ["grade", str(tmp_path / "submitted"), "--assignment", assignment.id]
        words += ["--results", str(tmp_path / "results"), "--no-gradebook"]
        status = main([*words, "--scheduler", address])
        said = capfd.readouterr()
        files = (tmp_path / "results" / assignment.id).glob("*.json")
        return status, said.out + said.err, {f.stem: json.loads(f.read_text()) for f in files}

    return run


def other_checkout(root: Path, folder: Path) -> Path:
    """A checkout with another version of the engine."""
    for part in PARTS:
        copy = shutil.copytree if (root / part).is_dir() else shutil.copy
        copy(root / part, folder / part)
    with (folder / "autograder/engine/grade.py").open("a") as file:
        file.write("# later\n")
    return folder


@pytest.mark.long
def test_workers_of_another_version_get_nothing_to_do(
    cluster, grade, hand_in, assignment, tmp_path
):
    missing, *others = assignment.exercises
    hand_in("s001")
    hand_in("s002", **{missing.id: ""})
    (tmp_path / "other").mkdir()
    checkout = other_checkout(assignment.course.root, tmp_path / "other")
    cluster.start_worker("other", checkout)
    cluster.wait_for(1)
    status, said, verdicts = grade(cluster.address)
    assert status == 3 and verdicts == {}
    assert "its graders are another version" in said and "bring its checkout up to date" in said

    cluster.start_worker("ours")
    cluster.wait_for(2)
    status, said, verdicts = grade(cluster.address)
    assert status == 0 and "its graders are another version" in said
    rest = sum(exercise.points for exercise in others)
    assert {student: verdict["points"] for student, verdict in verdicts.items()} == {
        "s001": rest + missing.points,
        "s002": rest,
    }


def test_a_scheduler_without_workers_says_so(cluster, grade, hand_in, monkeypatch):
    monkeypatch.setattr("autograder.classroom.scheduler.NO_WORKER_SECONDS", 0.1)
    hand_in("s001")
    status, said, verdicts = grade(cluster.address)
    assert status == 3 and verdicts == {} and "start some with `dask worker" in said
