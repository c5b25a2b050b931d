"""A submission arrives at a worker as it was sent, little travels, and nobody between reads it."""

import pickle
import subprocess
import sys
from dataclasses import replace

import pytest

from autograder.authoring.sample_class import SampleClass, write_submission
from autograder.classroom.packed import pack
from autograder.engine.fingerprint import RunSettings
from autograder.engine.submission import Cell, Submission, read_submission
from tests.worker_tasks import echoes, raises


def sample_class(assignment, folder, students):
    invented = SampleClass(assignment, seed=4)
    for number in range(students):
        notebook = write_submission(assignment, folder / f"s{number}", invented.submission(number))
        yield read_submission(assignment, f"s{number}", notebook)


def arrived(settings: RunSettings, submission: Submission) -> tuple[RunSettings, Submission]:
    """A task that returns what it is given."""
    return settings, submission


def seed(settings: RunSettings) -> int | None:
    """A task without a submission."""
    return settings.seed


def test_a_submission_arrives_as_it_was_sent(assignment, tmp_path):
    settings = RunSettings(assignment, seed=3)
    for submission in sample_class(assignment, tmp_path, 12):
        theirs, found = pickle.loads(pack(arrived, settings, submission))
        assert theirs == settings and found == submission
        assert found.hash == submission.hash
        assert found.grading_hash == submission.grading_hash


def test_what_the_worker_has_does_not_travel(assignment, tmp_path):
    readable = [one for one in sample_class(assignment, tmp_path, 12) if not one.unreadable]
    assert readable
    for submission in readable:
        packed = pack(arrived, RunSettings(assignment), submission)
        assert len(packed) < len(pickle.dumps(submission)) / 10


def test_a_cell_of_another_release_travels_whole(small):
    cell = next(one for one in small.cells if one.solution and one.kind == "code")
    other = replace(cell, source="older")
    submission = Submission([Cell(cell.id, "code", "x = 1", other)], "s001")
    assert pickle.loads(pack(arrived, RunSettings(small), submission))[1] == submission


def test_a_worker_does_its_task_with_what_arrived(small):
    submission = Submission([Cell("own", "code", "x = 1")], "s001")
    assert pickle.loads(pack(echoes, RunSettings(small), submission)).outputs == {
        "own": [{"text": "x = 1"}]
    }


def test_a_task_may_need_no_submission(small):
    assert pickle.loads(pack(seed, RunSettings(small, seed=17))) == 17


def test_what_a_task_raises_comes_out(small):
    with pytest.raises(ZeroDivisionError):
        pickle.loads(pack(raises, RunSettings(small), Submission([], "s001")))


def test_what_cannot_be_sent_is_said_here(small):
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pack(lambda settings: None, RunSettings(small))


@pytest.mark.slow
@pytest.mark.parametrize("submission", [None, Submission([Cell("own", "code", "x")], "s001")])
def test_who_only_passes_it_on_needs_no_package_of_ours(small, submission, tmp_path):
    task = seed if submission is None else echoes
    (tmp_path / "packed").write_bytes(
        pickle.dumps((pickle.loads, pack(task, RunSettings(small), submission)))
    )
    read = "import pickle; pickle.load(open('packed', 'rb')); import sys; print('autograder' in sys.modules)"
    words = [sys.executable, "-I", "-S", "-c", read]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
