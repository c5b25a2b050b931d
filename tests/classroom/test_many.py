"""A run over many: what it holds does not grow with them, and a second run reads what it has to."""

import json
import os
import weakref
from pathlib import Path

import pytest
from submissions import hand_in_comments

from autograder.classroom import run as class_run
from autograder.classroom.dispatch import _graded_by, grade_all
from autograder.classroom.errors import NoWorkers
from autograder.classroom.known_files import NAME, Known, KnownFiles
from autograder.classroom.run import ClassRun
from autograder.classroom.store import ResultStore
from autograder.classroom.waiting import Waiting
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.submission import Submission, read_submission
from autograder.gradebook.writer import GradebookWriter

MANY = 12


@pytest.fixture
def notebooks(small, tmp_path) -> dict[str, Path]:
    """Many submissions, each with other code."""
    students = [f"s{number:03}" for number in range(MANY)]
    return hand_in_comments(small, tmp_path / "submitted", students)


@pytest.fixture
def run(small, tmp_path):
    """Make a run over the results of the runs before, without a gradebook."""

    def make(settings: RunSettings | None = None) -> ClassRun:
        store = ResultStore(tmp_path / "results", small.id)
        writer = GradebookWriter(None, small, tmp_path, {}, {})
        return ClassRun(settings or RunSettings(small, seed=1), tmp_path / "results", store, writer)

    return make


@pytest.fixture
def graded(run, notebooks, monkeypatch):
    """Grade the class in this process; return the run."""
    monkeypatch.setattr("autograder.classroom.dispatch.prepare_worker", lambda settings: None)

    def grade(regrade: bool = False) -> ClassRun:
        made = run()
        results = grade_all(made.settle_known(notebooks, regrade), made.settings, 1, task=task)
        for _ in made.grade(results):
            pass
        made.close()
        return made

    return grade


def task(settings: RunSettings, submission: Submission) -> Graded:
    return Graded(empty(settings, submission, "graded"))


def test_few_submissions_are_in_memory_at_any_time(graded, notebooks, monkeypatch):
    alive: weakref.WeakSet = weakref.WeakSet()
    most = 0

    class Counted(Submission):
        __hash__ = object.__hash__

    def read(*arguments):
        nonlocal most
        found = read_submission(*arguments)
        counted = Counted(**{name: getattr(found, name) for name in found.__dataclass_fields__})
        alive.add(counted)
        most = max(most, len(alive))
        return counted

    monkeypatch.setattr(class_run, "read_submission", read)
    made = graded()
    assert len(made.written) == MANY and 1 <= most <= 3
    assert not (made.before or made.in_hand or made.keys)


def test_of_a_proposal_neither_verdict_nor_submission_stays(graded):
    graded()
    made = graded(regrade=True)
    assert len(made.proposed) == made.count == MANY and not made.before
    assert {type(part) for proposal in made.proposed.values() for part in proposal} == {str}
    made.write_proposed()
    assert len(made.written) == MANY


def test_a_second_run_parses_no_notebook(graded, run, notebooks, monkeypatch):
    graded()
    monkeypatch.setattr(class_run, "read_submission", pytest.fail)
    second = run()
    assert list(second.settle_known(notebooks)) == []
    assert [one.student for one in second.unchanged] == list(notebooks)


@pytest.fixture
def settled(monkeypatch):
    """What has just been written counts as not to be written again within the same tick."""
    monkeypatch.setattr("autograder.files.TICK_SECONDS", 0.0)


def test_a_second_run_reads_no_file_that_the_system_calls_unchanged(
    settled, graded, run, notebooks, monkeypatch
):
    graded()
    notebooks["s003"].write_bytes(notebooks["s003"].read_bytes())  # at another time
    with monkeypatch.context() as patched:
        patched.setattr(class_run, "read_submission", pytest.fail)
        graded()
    monkeypatch.setattr(class_run, "read_regular", pytest.fail)
    third = run()
    assert list(third.settle_known(notebooks)) == [] and len(third.unchanged) == MANY


@pytest.mark.usefixtures("settled")
def test_what_the_system_calls_changed_is_read_again(graded, run, notebooks):
    made = graded()
    change_text(notebooks["s003"], made)
    assert [one.student for one in run().settle_known(notebooks)] == ["s003"]


def change_text(notebook: Path, run: ClassRun) -> None:
    """As many bytes as before, changed at the same time as before."""
    before = notebook.stat()
    text = notebook.read_text()
    notebook.write_text(text.replace("# s003", "# s00x"))
    os.utime(notebook, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert notebook.stat().st_size == before.st_size


def delete_verdict(notebook: Path, run: ClassRun) -> None:
    run._path("s003").unlink()


def edit_verdict(notebook: Path, run: ClassRun) -> None:
    path = run._path("s003")
    content = json.loads(path.read_text())
    content["stamp"]["grader"] = "another"
    path.write_text(json.dumps(content, indent=1))


def damage_results(notebook: Path, run: ClassRun) -> None:
    for file in run.store.folder.glob("*.json"):
        file.write_text("{")


@pytest.mark.parametrize(
    "change",
    [change_text, delete_verdict, edit_verdict, damage_results],
    ids=lambda one: one.__name__,
)
def test_a_second_run_sees_what_is_another_than_before(graded, run, notebooks, change):
    change(notebooks["s003"], graded())
    second = run()
    waiting = [one.student for one in second.settle_known(notebooks)]
    assert "s003" not in [one.student for one in second.unchanged]
    settled = [one.student for one in second.written] + list(second.proposed)
    assert "s003" in [*waiting, *settled]
    if change is damage_results:
        assert waiting == list(notebooks)
    else:
        assert len(second.unchanged) == MANY - 1


def test_other_graders_or_walls_know_no_file(small, run, tmp_path):
    folder = run().store.folder
    files = KnownFiles(folder, RunSettings(small))
    known = Known("state", "digest", "hash", "key")
    files.put("s001", known)
    files.close()
    again = KnownFiles(folder, RunSettings(small, seed=7))
    assert again.get("s001") == known and again.get("s002") is None
    assert KnownFiles(folder, RunSettings(small, "practice")).get("s001") is None


def test_a_damaged_list_of_files_is_made_again(graded, run, notebooks, monkeypatch):
    first = graded()
    (first.store.folder / NAME).write_bytes(b"no database" * 1_000)
    second = graded()
    assert len(second.unchanged) == MANY
    monkeypatch.setattr(class_run, "read_submission", pytest.fail)
    assert list(run().settle_known(notebooks)) == []


def test_who_hands_in_the_same_while_it_is_graded_gets_the_same(run, notebooks):
    first, second, third = list(notebooks)[:3]
    for other in (second, third):
        notebooks[other].write_bytes(notebooks[first].read_bytes())
    made = run()
    waiting = list(made.settle_known(notebooks))
    assert len(waiting) == MANY - 2
    notebooks[third].write_text(notebooks[third].read_text().replace("# s000", "# new"))
    states = {one.student: one.state for one in made.grade(task(made.settings, o) for o in waiting)}
    assert states.pop(third) == "not_graded", "it is another one than was graded"
    assert len(states) == MANY - 1 and set(states.values()) == {"graded"}
    assert [one.reason for one in made.written if one.student == third] == [
        "it has been changed meanwhile: grade again"
    ]


class Pool:
    """Workers that are lost after one result."""

    def grade(self, submissions):
        yield Graded(empty(self.settings, next(submissions), "graded"))
        next(submissions)
        raise NoWorkers("no memory")


def test_where_workers_are_lost_nobody_is_forgotten(small):
    pool, asked = Pool(), [Submission([], f"s{number}") for number in range(4)]
    pool.settings = RunSettings(small, seed=1)
    found = {
        one.verdict.student: one.verdict.state
        for one in _graded_by(pool, iter(asked), pool.settings)
    }
    assert found == {"s0": "graded", "s1": "not_graded", "s2": "not_graded", "s3": "not_graded"}


def test_the_next_submission_is_read_when_it_is_asked_for(small):
    read = []

    def submissions():
        for name in ("s1", "s2"):
            read.append(name)
            yield Submission([], name)

    waiting = Waiting(RunSettings(small), submissions())
    assert read == [] and waiting and waiting and read == ["s1"]
    waiting.submissions.popleft()
    assert waiting and read == ["s1", "s2"]
