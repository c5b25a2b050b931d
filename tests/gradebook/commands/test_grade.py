"""`grade` on the command line: a class graded once, and what is said of it."""

import csv
import json
import shutil
from pathlib import Path

import jsonschema
import pytest
from levels import needs_landlock
from submissions import edit, exercise, full_marks, lost, verdicts
from typed_commands import typed

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.classroom.blocks.verdict_blocks import verdict_blocks
from autograder.engine.verdicts import from_json, read_history, with_gone_mistakes
from autograder.engine.verdicts.fingerprint import grader_hash
from autograder.engine.verdicts.verdict import json_schema
from autograder.gradebook.commands.without_walls import OPTION
from autograder.mistakes.mistake import mistakes

pytestmark = pytest.mark.walls

DAMAGED = '{"cells": ['


class Class:
    """A class in a folder, and the command."""

    def __init__(self, assignment, top: Path):
        self.assignment, self.top = assignment, top

    def hand_in(self, student: str, only: bool = False, **cells: str) -> Path:
        """Hand in the solution with these cells changed, or the release with `only` these."""
        content = cells if only else self.assignment.solutions | cells
        folder = self.top / "submitted" / student / self.assignment.id
        return write_submission(self.assignment, folder, SampleSubmission(content, ""))

    def grade(self, *more: str, place: str = "submitted") -> tuple[int, str, dict]:
        """Grade without a gradebook; return status, what was said, and verdicts."""
        words = [self.top / place, "--results", self.top / "results", "--no-gradebook"]
        words += ["--assignment", self.assignment.id, "--course", self.assignment.course.root]
        status, said = typed("grade", *words, *more)
        return status, said, verdicts(self.top, self.assignment.id)


@pytest.fixture
def own(small, tmp_path) -> Class:
    """A class in which nobody is yet."""
    return Class(small, tmp_path)


@pytest.fixture(scope="module")
def graded(small, tmp_path_factory) -> tuple[Class, tuple[int, str, dict]]:
    """A class with something of everything, which two workers have graded. Not to be changed."""
    them = Class(small, tmp_path_factory.mktemp("class"))
    them.hand_in("whole")
    them.hand_in("lacking", softmax="")
    for student in ("released", "released-too", "a b; rm"):
        them.hand_in(student, only=True)
    for student in ("one", "two", "three"):
        them.hand_in(student, only=True, softmax="x = 1")
    them.hand_in("damaged").write_text(DAMAGED)
    renamed = them.hand_in("renamed", only=True, softmax="y = 1")
    renamed.rename(renamed.with_name(f"{small.id} (1).ipynb"))
    edit(them.hand_in("repaired", only=True), remove_softmax)
    (them.top / "submitted" / "nothing" / small.id).mkdir(parents=True)
    return them, them.grade("--jobs", "2", "--seed", "3")


def remove_softmax(content: dict) -> None:
    content["cells"] = [cell for cell in content["cells"] if cell["id"] != "softmax"]


def test_test_data_can_be_edited_in_the_middle_of_a_week(copied, tmp_path):
    """No verdict is stale because of a variant; because of a reference, all are."""
    submissions = Class(copied, tmp_path)
    submissions.hand_in("early", only=True, softmax="x = 1")

    def graded_after_an_edit(name: str) -> dict:
        file = copied.graders / name
        file.write_text(file.read_text() + "\n")
        grader_hash.cache_clear()
        status, _, results = submissions.grade("--changes", "write")
        assert status == 0
        return results["early"]["stamp"]

    before = graded_after_an_edit("reference.py")
    assert graded_after_an_edit("variants/softmax.py") == before
    assert graded_after_an_edit("reference.py")["grader"] != before["grader"]


def test_each_submission_gets_a_verdict_and_a_row(graded, small):
    them, (_, said, found) = graded
    for verdict in found.values():
        jsonschema.validate(verdict, json_schema())
    assert lost(from_json(found["whole"])) == {}
    assert lost(from_json(found["lacking"])) == {"softmax": 2.0}
    with (them.top / "results" / small.id / "grades.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert rows.keys() == found.keys()
    totals = [rows[who]["points"] for who in ("whole", "released", "damaged")]
    assert totals == [str(full_marks(small)), "0.0", "0.0"]
    for one in small.exercises:
        assert rows["whole"][one.id] == str(one.points) and rows["damaged"][one.id] == ""
    assert "whole" in said and "not attempted" in said


def test_what_is_odd_about_one_is_said_and_the_others_go_on(graded):
    them, (status, said, found) = graded
    assert status == 3 and len(found) == 11
    assert "`a b; rm` cannot be a student's id" in said
    assert "9 graded, 2 unreadable, 0 as they were" in said
    assert (found["damaged"]["state"], found["damaged"]["points"]) == ("unreadable", 0)
    assert "its JSON is damaged" in found["damaged"]["reason"]
    assert "save it from Jupyter" in said.replace("\n", " ")
    (notebook,) = (them.top / "submitted" / "damaged").rglob("*.ipynb")
    assert notebook.read_text() == DAMAGED
    assert "There is no notebook" in found["nothing"]["reason"]
    assert found["renamed"]["state"] == "graded"


def test_run_again_only_what_changed_is_graded(graded, small, tmp_path):
    them, (_, _, first) = graded
    shutil.copytree(them.top, tmp_path, dirs_exist_ok=True)
    for student in ("a b; rm", "lacking"):
        shutil.rmtree(tmp_path / "submitted" / student)
    again = Class(small, tmp_path)
    edit(again.hand_in("lacking"), lambda content: content["cells"].pop())
    status, said, second = again.grade()
    assert status == 0 and "1 graded, 10 as they were" in said
    assert second.pop("lacking") != first["lacking"]
    assert second == {who: one for who, one in first.items() if who != "lacking"}
    assert "9 graded, 2 as they were" in again.grade("--regrade", "--jobs", "1")[1]


@pytest.mark.namespaces
@needs_landlock
def test_a_change_of_the_kind_of_walls_makes_no_verdict_stale(own, request):
    own.hand_in("right")
    own.hand_in("crashes", softmax="import os; os._exit(0)")
    status, _, first = own.grade("--seed", "3")
    assert status == 0 and {one["stamp"]["sandbox"] for one in first.values()} == {"namespaces"}
    request.getfixturevalue("no_namespaces")
    status, said, second = own.grade()
    assert status == 0 and "0 graded, 2 as they were" in said and second == first
    status, _, third = own.grade("--seed", "3", "--regrade")
    assert status == 0 and {one["stamp"]["sandbox"] for one in third.values()} == {"landlock"}
    for student, verdict in third.items():
        stamp = verdict["stamp"] | {"sandbox": "namespaces"}
        assert verdict | {"stamp": stamp, "seconds": 0} == first[student] | {"seconds": 0}


@pytest.mark.parametrize("words", [None, ["--jobs", "1"], ["--regrade"]], ids=str)
def test_identical_and_repaired_submissions_are_told_each_time(graded, small, tmp_path, words):
    them, (_, said, found) = graded
    if words is not None:
        shutil.copytree(them.top, tmp_path, dirs_exist_ok=True)
        _, said, found = Class(small, tmp_path).grade(*words)
    assert "3 submissions are identical: one, three, two." in said
    assert said.count("are identical") == 1 and "identical" not in json.dumps(found)
    sentence = "The cell `softmax` is missing from the notebook."
    assert said.count(f"repaired: {sentence}\n") == said.count("is missing from") == 1
    assert {who: one["repairs"] for who, one in found.items() if one["repairs"]} == {
        "repaired": [sentence]
    }


@pytest.mark.database
def test_a_course_above_is_found_and_a_notebook_from_anywhere_is_entered_nowhere(
    copied, monkeypatch
):
    top = copied.course.root
    them = Class(copied, top)
    notebook = them.hand_in("s001", only=True)
    assert them.grade(place=str(notebook.relative_to(top)))[2]["s001"]["state"] == "graded"
    monkeypatch.chdir(copied.source.parent)
    elsewhere = shutil.copy(notebook, top / "mine.ipynb")
    words = ["--assignment", copied.id, "--results", top / "results"]
    assert typed("grade", elsewhere, *words)[0] == 0
    assert verdicts(top, copied.id)["mine"]["points"] == 0
    assert not (top / "gradebook.db").exists()
    assert typed("grade", top / "submitted", *words)[0] == 0
    assert (top / "gradebook.db").is_file()


def test_without_walls_nothing_is_graded_but_practice(own, small, no_walls):
    own.hand_in("s001")
    status, said, found = own.grade()
    assert status == 3 and found == {} and "User namespaces" in said and "lsm" in said
    assert "The sandbox does not work" in said
    for words in (["--sandbox", "auto"], ["--sandbox", "off", "--regrade"]):
        status, said, found = own.grade(*words, OPTION)
        assert status == 0 and found["s001"]["stamp"]["sandbox"] == "practice"
        assert found["s001"]["points"] == full_marks(small)
        assert ("No walls (" in said) == ("auto" in words)
        assert ": these verdicts are practice" in said


def test_a_mistake_that_is_gone_is_told_to_the_student(own, small):
    mistake = next(one for one in mistakes(small) if one.exercise == "softmax")
    own.hand_in("s001", softmax=mistake.cells[0])
    assert own.grade()[0] == 0
    shutil.rmtree(own.top / "submitted")
    own.hand_in("s001")
    kept = from_json(own.grade()[2]["s001"])
    assert not exercise(kept, "softmax").gone  # no verdict depends on what was before
    had = read_history(own.top / "results", small.id, "s001")
    assert [one.id for one in exercise(had[0], "softmax").mistakes] == [mistake.id]
    assert len(had) == 1
    blocks = verdict_blocks(with_gone_mistakes(kept, had), "student")["softmax"]
    assert [one.text for one in blocks.of_kind("gone")] == [mistake.sentence]
