"""A class run: what is graded, what is kept, and what happens to those that fail."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from submissions import edit, entered_points, full_marks, marked_by_hand, verdicts

from autograder.classroom.run import ClassRun
from autograder.classroom.store import ResultStore
from autograder.cli.main import main
from autograder.engine.course import read_course
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty, ungraded
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict
from autograder.gradebook.nbgrader_course import NbgraderCourse

pytestmark = pytest.mark.walls


@pytest.fixture
def grade(folder, assignment, capfd):
    """Grade the course's submissions in this process; return status, what was said, and verdicts."""

    def run(*more: str):
        words = ["grade", str(folder / "submitted"), "--assignment", assignment.id]
        words += ["--results", str(folder / "results"), "--jobs", "1"]
        status = main([*words, *(more or ["--no-gradebook"])])
        said = "".join(capfd.readouterr())
        return status, said, verdicts(folder, assignment.id)

    return run


class Gradebook:
    """A gradebook writer that enters nothing; `entered` says what it was given."""

    def __init__(self, *known: str):
        self.known = known  # students
        self.entered: list[str] = []

    def agrees_with(self, verdict: Verdict) -> bool:
        return verdict.student in self.known

    def add(self, verdict: Verdict, submission: Submission, outputs: dict) -> None:
        self.entered.append(verdict.student)


@pytest.fixture
def class_run(assignment, tmp_path):
    """Make a run over the same results as the runs before."""

    def make(gradebook: Gradebook) -> ClassRun:
        store = ResultStore(tmp_path / "results", assignment.id)
        return ClassRun(RunSettings(assignment, seed=1), tmp_path / "results", store, gradebook)

    return make


def graded(run: ClassRun, submissions: list[Submission]) -> list[Verdict]:
    """Have the run keep verdicts without points."""
    return list(run.grade(Graded(empty(run.settings, one, "graded")) for one in submissions))


def answer(notebook: Path, cell: str, text: str) -> Path:
    """Write something else below a question that a person marks."""

    def change(content):
        (found,) = (one for one in content["cells"] if one["id"] == cell)
        found["source"] = text

    return edit(notebook, change)


def test_what_is_up_to_date_is_neither_graded_nor_entered_again(class_run, hand_in):
    notebooks = {"s001": hand_in("s001", only=True)}
    first = class_run(Gradebook())
    graded(first, first.settle_known(notebooks))
    assert first.writer.entered == ["s001"]
    second = class_run(Gradebook("s001"))
    assert list(second.settle_known(notebooks)) == [] and second.writer.entered == []
    assert [verdict.student for verdict in second.unchanged] == ["s001"]


def test_what_the_gradebook_does_not_have_is_entered_once_and_not_graded_again(class_run, hand_in):
    notebooks = {"s001": hand_in("s001", only=True)}
    first = class_run(Gradebook())
    graded(first, first.settle_known(notebooks))
    second = class_run(Gradebook())
    assert list(second.settle_known(notebooks)) == [] and second.writer.entered == ["s001"]
    assert [verdict.student for verdict in second.unchanged] == ["s001"] and second.written == []


def test_asking_whether_a_verdict_is_current_changes_nothing(class_run, hand_in):
    notebooks = {"s001": hand_in("s001", only=True)}
    first = class_run(Gradebook())
    (submission,) = first.settle_known(notebooks)
    (verdict,) = graded(first, [submission])
    second = class_run(Gradebook())
    for regrade in (False, True):
        assert second._is_current(verdict, submission, regrade) is not regrade
    assert second.writer.entered == [] and second.unchanged == [] and not second.before


def test_a_result_that_cannot_be_read_is_made_again(class_run, hand_in):
    notebooks = {"s001": hand_in("s001", only=True)}
    first = class_run(Gradebook())
    (submission,) = first.settle_known(notebooks)
    graded(first, [submission])
    (record,) = first.store.folder.glob("*.json")
    record.write_text("{")
    assert list(class_run(Gradebook()).settle_known(notebooks)) == [submission]


def test_identical_code_is_graded_once(grade, hand_in, folder, assignment):
    for student in ("s001", "s002", "s003"):
        answer(hand_in(student), marked_by_hand(assignment), f"The words of {student}.")
    status, said, found = grade()
    assert status == 0 and "3 graded" in said
    assert len({verdict["stamp"]["seed"] for verdict in found.values()}) == 1
    assert len({verdict["stamp"]["submission"] for verdict in found.values()}) == 3
    assert len(list((folder / "results/.ledger" / assignment.id).glob("*.json"))) == 1


def test_new_words_are_entered_without_grading_the_code_again(grade, hand_in, folder, assignment):
    notebook = hand_in("s001")
    words = ["--course", str(folder)]
    _, _, first = grade(*words)
    answer(notebook, marked_by_hand(assignment), "Other words.")
    status, said, second = grade(*words)
    assert status == 0 and "1 graded, 0 as they were" in said
    assert second["s001"]["stamp"]["seed"] == first["s001"]["stamp"]["seed"]
    entered = folder / "autograded/s001" / assignment.id / f"{assignment.id}.ipynb"
    assert "Other words." in entered.read_text()
    assert "0 graded, 1 as they were" in grade(*words)[1]


def judged_otherwise(folder, assignment, exercise: str) -> float:
    """Leave a class as an earlier version of the graders might have: s001 has full points in this
    exercise. Return how many more.
    """
    kept = folder / "results" / assignment.id / "s001.json"
    verdict = json.loads(kept.read_text())
    store = ResultStore(folder / "results", assignment.id).folder
    mark = f'"points": {verdict["points"]}'
    (record,) = (file for file in store.glob("*.json") if mark in file.read_text())
    for file, verdict_in in ((kept, lambda c: c), (record, lambda c: c["verdict"])):
        content = json.loads(file.read_text())
        points = verdict_in(content)
        result = next(one for one in points["exercises"] if one["id"] == exercise)
        more = result["max_points"] - result["points"]
        for check in result["checks"]:
            check.update(points=check["max_points"], passed=True, message=None)
        result["points"] += more
        points["points"] += more
        file.write_text(json.dumps(content))
    return more


def test_a_regrade_shows_who_changes_and_why_before_it_writes(
    grade, hand_in, folder, assignment, solved, unscaled
):
    hand_in("s001", **{unscaled.exercise: unscaled.cells[0]})
    hand_in("s002")
    grade()
    more = judged_otherwise(folder, assignment, unscaled.exercise)
    before = verdicts(folder, assignment.id)
    status, said, shown = grade("--no-gradebook", "--regrade", "--changes", "show")
    assert status == 0 and shown == before
    lost = f"{-more:+g}"
    check = unscaled.caught_by[0].removeprefix("test_").replace("_", " ")
    reason = f"{unscaled.exercise.replace('_', ' ')}: {check}"
    assert more > 0 and "s001" in said and lost in said and reason in said
    changes = said.split("for the same submission")[1].split(f"{assignment.id}\n")[0]
    assert "s002  " not in changes
    status, said, written = grade("--no-gradebook", "--regrade")
    assert status == 0 and lost in said
    assert written["s001"]["points"] == full_marks(assignment) - more
    assert "for the same submission" not in grade("--no-gradebook", "--regrade")[1]


def test_a_fault_of_ours_leaves_the_verdict_that_is_there(grade, hand_in, monkeypatch):
    hand_in("s001")
    _, _, first = grade()
    monkeypatch.setattr("autograder.cli.console_run.grade_all", faulty)
    hand_in("s002", only=True)
    status, said, found = grade("--no-gradebook", "--regrade")
    assert status == 3 and found["s001"] == first["s001"] and "no memory" in said
    assert found["s002"]["state"] == "not_graded"
    monkeypatch.undo()
    status, _, found = grade()
    assert status == 0 and found["s002"]["state"] == "graded"


def faulty(submissions, settings, *_, **__):
    return (ungraded(settings, submission, "no memory") for submission in submissions)


def test_what_is_not_graded_enters_no_gradebook(grade, hand_in, folder, assignment, monkeypatch):
    monkeypatch.setattr("autograder.cli.console_run.grade_all", faulty)
    hand_in("s001")
    assert grade("--course", str(folder))[0] == 3
    assert entered_points(NbgraderCourse(read_course(folder)), assignment, "s001") is None
    with (folder / "results" / assignment.id / "grades.csv").open() as file:
        row = file.read().splitlines()[1]
    assert row.startswith(f"s001,not_graded,,{full_marks(assignment)}")


def test_two_runs_do_not_grade_into_one_folder(grade, hand_in, folder, assignment):
    hand_in("s001")
    with ResultStore(folder / "results", assignment.id).exclusively():
        status, said, _ = grade()
    assert status == 2 and "Another run is grading into" in said


def test_a_folder_that_takes_nothing_is_told_before_anything_is_graded(grade, hand_in, folder):
    hand_in("s001")
    (folder / "results").write_text("a file where a folder should be")
    status, said, _ = grade()
    assert status == 1 and said.count("\n") == 1 and "results" in said


def test_a_full_disk_keeps_what_was_finished(grade, hand_in, folder, assignment, monkeypatch):
    first = assignment.exercises[0].id
    for student in ("s001", "s002"):
        hand_in(student, only=True, **{first: f"# {student}"})
    grade()
    hand_in("s003", only=True)

    def full(_):
        raise OSError(28, "No space left on device", "results/.ledger")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        status, said, found = grade()
    assert status == 1 and "No space left on device" in said and set(found) == {"s001", "s002"}
    assert all((folder / "results").rglob("*.json"))
    assert set(grade()[2]) == {"s001", "s002", "s003"}
    assert not list((folder / "results").rglob(".*.json.*"))


def test_a_locked_gradebook_is_told_and_filled_later(grade, hand_in, folder, assignment):
    hand_in("s001", only=True)
    words = ["--course", str(folder)]
    grade(*words)
    hand_in("s002")
    with closing(sqlite3.connect(folder / "gradebook.db")) as formgrader:
        formgrader.execute("BEGIN EXCLUSIVE")
        impatient = f"sqlite:///{folder}/gradebook.db?timeout=0.2"  # SQLite waits for 5 seconds
        status, said, found = grade(*words, "--gradebook", impatient)
    assert status == 1 and "The gradebook did not take" in said and "locked" in said
    assert found["s002"]["points"] == full_marks(assignment)
    status, said, _ = grade(*words)
    assert status == 0 and "0 graded, 2 as they were" in said
    gradebook = NbgraderCourse(read_course(folder))
    assert entered_points(gradebook, assignment, "s002") == full_marks(assignment)
