"""A class run: what is graded, what is kept, and what happens to those that fail."""

import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from conftest import edit, verdicts

from autograder.__main__ import main
from autograder.classroom.errors import NoWorkers
from autograder.classroom.dispatch import grade_all
from autograder.classroom.store import ResultStore
from autograder.classroom.worker import Introduction
from autograder.gradebook.nbgrader_course import Course
from autograder.engine.graded import Graded, empty, ungraded
from autograder.engine.submission import Handed, read_submission
from autograder.engine.fingerprint import RunSettings, lock

WRONG = {"attention": "math.sqrt(query.size(-1))", "with": "1.7"}


@pytest.fixture
def grade(folder, capfd):
    """Grade folder/submitted in this process; return status, what was said, and verdicts."""

    def run(*more: str):
        words = ["grade", str(folder / "submitted"), "--assignment", "encoder-layer"]
        words += ["--results", str(folder / "results"), "--jobs", "1"]
        status = main([*words, *(more or ["--no-gradebook"])])
        said = "".join(capfd.readouterr())
        return status, said, verdicts(folder)

    return run


def answer(notebook: Path, text: str) -> Path:
    """Write something else below a question that a person marks."""

    def change(content):
        (cell,) = (cell for cell in content["cells"] if cell["id"] == "explain_layer_norm")
        cell["source"] = text

    return edit(notebook, change)


def unscaled(solved) -> str:
    return solved["attention"].replace(WRONG["attention"], WRONG["with"])


def test_identical_code_is_graded_once(grade, hand_in, folder):
    for student in ("s001", "s002", "s003"):
        answer(hand_in(student), f"The words of {student}.")
    status, said, found = grade()
    assert status == 0 and "3 graded" in said
    assert len({verdict["stamp"]["seed"] for verdict in found.values()}) == 1
    assert len({verdict["stamp"]["submission"] for verdict in found.values()}) == 3
    assert len(list((folder / "results/.store/encoder-layer").glob("*.json"))) == 1


def test_new_words_are_entered_without_grading_the_code_again(grade, hand_in, folder):
    notebook = hand_in("s001")
    course = ["--course", str(folder)]
    _, _, first = grade(*course)
    answer(notebook, "Other words.")
    status, said, second = grade(*course)
    assert status == 0 and "1 graded, 0 as they were" in said
    assert second["s001"]["stamp"]["seed"] == first["s001"]["stamp"]["seed"]
    assert (
        "Other words." in (folder / "autograded/s001/encoder-layer/encoder-layer.ipynb").read_text()
    )
    assert "0 graded, 1 as they were" in grade(*course)[1]


def judged_otherwise(folder: Path) -> None:
    """Leave a class as an earlier version of the graders might have: one point more for s001."""
    kept = folder / "results/encoder-layer/s001.json"
    store = ResultStore(folder / "results", "encoder-layer").folder
    (record,) = (file for file in store.glob("*.json") if '"points": 22.5' in file.read_text())
    for file, verdict in ((kept, lambda c: c), (record, lambda c: c["verdict"])):
        content = json.loads(file.read_text())
        points = verdict(content)
        points["points"] += 1.5
        for check in points["exercises"][1]["checks"]:
            check.update(points=check["max_points"], passed=True, message=None)
        points["exercises"][1]["points"] = 4.0
        file.write_text(json.dumps(content))


def test_a_regrade_shows_who_changes_and_why_before_it_writes(grade, hand_in, folder, solved):
    hand_in("s001", attention=unscaled(solved))
    hand_in("s002")
    grade()
    judged_otherwise(folder)
    before = verdicts(folder)
    status, said, shown = grade("--no-gradebook", "--regrade", "--changes", "show")
    assert status == 0 and shown == before
    assert "s001" in said and "-1.5" in said and "attention: values" in said
    assert "s002  " not in said.split("for the same submission")[1].split("encoder-layer\n")[0]
    status, said, written = grade("--no-gradebook", "--regrade")
    assert status == 0 and written["s001"]["points"] == 22.5 and "-1.5" in said
    assert "for the same submission" not in grade("--no-gradebook", "--regrade")[1]


def test_a_fault_of_ours_leaves_the_verdict_that_is_there(grade, hand_in, monkeypatch):
    hand_in("s001")
    _, _, first = grade()
    monkeypatch.setattr("autograder.cli.grade.grade_all", faulty)
    hand_in("s002", only=True)
    status, said, found = grade("--no-gradebook", "--regrade")
    assert status == 3 and found["s001"] == first["s001"] and "no memory" in said
    assert found["s002"]["state"] == "not_graded"
    monkeypatch.undo()
    status, _, found = grade()
    assert status == 0 and found["s002"]["state"] == "graded"


def faulty(submissions, settings, *_, **__):
    return (ungraded(settings, handed, "no memory") for handed in submissions)


def test_what_is_not_graded_enters_no_gradebook(grade, hand_in, folder, assignment, monkeypatch):
    monkeypatch.setattr("autograder.cli.grade.grade_all", faulty)
    hand_in("s001")
    assert grade("--course", str(folder))[0] == 3
    assert Course(folder).points(assignment, "s001") is None
    with (folder / "results/encoder-layer/grades.csv").open() as file:
        assert file.read().splitlines()[1].startswith("s001,not_graded,,24.0")


def test_two_runs_do_not_grade_into_one_folder(grade, hand_in, folder):
    hand_in("s001")
    with ResultStore(folder / "results", "encoder-layer").mine():
        status, said, _ = grade()
    assert status == 2 and "Another run is grading into" in said


def test_a_folder_that_takes_nothing_is_told_before_anything_is_graded(grade, hand_in, folder):
    hand_in("s001")
    (folder / "results").write_text("a file where a folder should be")
    status, said, _ = grade()
    assert status == 1 and said.count("\n") == 1 and "results" in said


def test_a_full_disk_keeps_what_was_finished(grade, hand_in, folder, monkeypatch):
    for student in ("s001", "s002"):
        hand_in(student, only=True, feed_forward=f"# {student}")
    grade()
    hand_in("s003", only=True)

    def full(_):
        raise OSError(28, "No space left on device", "results/.store")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        status, said, found = grade()
    assert status == 1 and "No space left on device" in said and set(found) == {"s001", "s002"}
    assert all((folder / "results").rglob("*.json"))
    assert set(grade()[2]) == {"s001", "s002", "s003"}
    assert not list((folder / "results").rglob(".*.json.*"))


def test_a_locked_gradebook_is_told_and_filled_later(grade, hand_in, folder, assignment):
    hand_in("s001", only=True)
    course = ["--course", str(folder)]
    grade(*course)
    hand_in("s002")
    with closing(sqlite3.connect(folder / "gradebook.db")) as formgrader:
        formgrader.execute("BEGIN EXCLUSIVE")
        status, said, found = grade(*course)
    assert status == 1 and "The gradebook did not take" in said and "locked" in said
    assert found["s002"]["points"] == 24
    status, said, _ = grade(*course)
    assert status == 0 and "0 graded, 2 as they were" in said
    assert Course(folder).points(assignment, "s002") == 24


def test_a_scheduler_that_is_not_there_is_wrong_usage(hand_in, folder, capfd, monkeypatch):
    monkeypatch.setattr("autograder.classroom.dask_cluster.CONNECT_SECONDS", 0.5)
    hand_in("s001")
    words = ["grade", str(folder / "submitted"), "--assignment", "encoder-layer"]
    words += ["--results", str(folder / "results"), "--no-gradebook"]
    assert main([*words, "--scheduler", "tcp://127.0.0.1:9"]) == 2
    said = capfd.readouterr().err
    assert "No Dask scheduler answers at `tcp://127.0.0.1:9`" in said and said.count("\n") == 1
    assert main([*words, "--scheduler", "nonsense://"]) == 2


def poisonous(settings: RunSettings, handed: Handed) -> Graded:
    """Ends its worker, for one of them."""
    if handed.student == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    return Graded(empty(settings, handed, "graded"))


def ready(settings: RunSettings) -> Introduction:
    """A worker that has nothing to get ready for what `poisonous` does."""
    return Introduction(settings.assignment.grader_hash, lock(), settings.sandbox)


def test_a_submission_that_ends_its_workers_is_put_aside(assignment, hand_in, monkeypatch):
    monkeypatch.setattr("autograder.classroom.scheduler.introduce", ready)
    names = ["s001", "poison", *(f"s{number:03}" for number in range(2, 8))]
    handed = [read_submission(assignment, name, hand_in(name, only=True)) for name in names]
    found = {
        one.verdict.student: one.verdict
        for one in grade_all(handed, RunSettings(assignment), 2, task=poisonous)
    }
    assert set(found) == set(names)
    assert "3 workers were lost" in found["poison"].reason
    assert {found[name].state for name in names if name != "poison"} == {"graded"}


def test_workers_that_do_not_come_up_are_not_waited_for(assignment, hand_in, monkeypatch):
    monkeypatch.setattr("autograder.classroom.dask_cluster.START_SECONDS", 0.1)
    handed = [read_submission(assignment, name, hand_in(name, only=True)) for name in ("s001", "s002")]
    with pytest.raises(NoWorkers, match="cannot be started here .*fewer --jobs"):
        list(grade_all(handed, RunSettings(assignment), 2))


def silent(settings: RunSettings) -> None:
    """Is asked what it grades with, and says nothing."""
    time.sleep(60)


def test_a_worker_that_never_introduces_itself_is_not_waited_for(assignment, hand_in, monkeypatch):
    monkeypatch.setattr("autograder.classroom.scheduler.introduce", silent)
    monkeypatch.setattr("autograder.classroom.scheduler.GREETING_SECONDS", 0.1)
    handed = [read_submission(assignment, name, hand_in(name, only=True)) for name in ("s001", "s002")]
    told: list[str] = []
    with pytest.raises(NoWorkers, match="has not answered"):
        list(grade_all(handed, RunSettings(assignment), 2, tell=told.append))
    assert len(told) == 2 and all("gets nothing to do" in sentence for sentence in told)
