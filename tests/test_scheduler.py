"""A cluster that is there already: the same verdicts, and nothing for workers of another version."""

import json
import shutil
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.engine.assignment import ROOT
from benchmarks.cluster import running_cluster

PARTS = "autograder", "release", "source", "pyproject.toml"


@pytest.fixture
def cluster(tmp_path):
    with running_cluster(0, tmp_path / "dask") as cluster:
        yield cluster


@pytest.fixture
def grade(cluster, tmp_path, capfd):
    def run(*more: str):
        words = ["grade", str(tmp_path / "submitted"), "--assignment", "encoder-layer"]
        words += ["--results", str(tmp_path / "results"), "--no-gradebook"]
        status = main([*words, "--scheduler", cluster.address, *more])
        said = capfd.readouterr()
        files = (tmp_path / "results" / "encoder-layer").glob("*.json")
        return status, said.out + said.err, {f.stem: json.loads(f.read_text()) for f in files}

    return run


def other_checkout(folder: Path) -> Path:
    """A checkout with another version of the graders."""
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    with (folder / "autograder/graders/encoder_layer/test_attention.py").open("a") as file:
        file.write("# later\n")
    return folder


def test_workers_of_another_version_get_nothing_to_do(cluster, grade, hand_in, tmp_path):
    hand_in("s001")
    hand_in("s002", attention="")
    (tmp_path / "other").mkdir()
    cluster.start_worker("other", other_checkout(tmp_path / "other"))
    cluster.wait_for(1)
    status, said, verdicts = grade()
    assert status == 3 and verdicts == {}
    assert "its graders are another version" in said and "bring its checkout up to date" in said

    cluster.start_worker("ours")
    cluster.wait_for(2)
    status, said, verdicts = grade()
    assert status == 0 and "its graders are another version" in said
    assert {student: verdict["points"] for student, verdict in verdicts.items()} == {
        "s001": 24,
        "s002": 20,
    }


def test_a_scheduler_without_workers_says_so(grade, hand_in, monkeypatch):
    monkeypatch.setattr("autograder.classroom.scheduler.PATIENCE_SECONDS", 0.1)
    hand_in("s001")
    status, said, verdicts = grade()
    assert status == 3 and verdicts == {} and "start some with `dask worker" in said
