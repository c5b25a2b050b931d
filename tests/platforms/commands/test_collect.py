"""`collect` from the command line: its table, whole classes, and grading after it."""

import csv

import pytest
from downloads import BOOK, COURSE, DAMAGED, ID, moodle, on_disk, ours, standing
from nbgrader.apps import NbGraderAPI
from sampling import every
from traitlets.config import Config
from typed_commands import typed

from autograder import find_assignment, find_course
from autograder.authoring.sample_platforms import SAMPLE_DOWNLOADS
from autograder.classroom.find import find_submissions
from autograder.classroom.roster import read_roster
from autograder.engine import files

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("there_already", [True, False])
def test_two_do_not_collect_into_one_folder(collect, into, there_already):
    if there_already:
        collect(moodle(1, hour=10))
    before = on_disk(into) if there_already else {}
    with files.locked(into if there_already else into.parent, "it is mine"):
        status, said = collect(moodle(2, hour=11))
    assert status == 2 and said.count("\n") == 1
    assert f"Somebody else is collecting into `{into}`" in said
    assert before == (on_disk(into) if into.exists() else {})
    assert collect(moodle(2, hour=11))[0] == 0 and ours(2) in standing(into).values()


@pytest.mark.parametrize("platform", every(4, SAMPLE_DOWNLOADS))
def test_a_made_up_class_is_placed_whole_and_again_nothing_changes(
    collect, into, tmp_path, platform
):
    def times() -> dict:
        changing = {"roster.csv", ID}  # the roster, and the folder that it is written in
        return {p: p.stat().st_mtime_ns for p in into.rglob("*") if p.name not in changing}

    zip_file = tmp_path / "made-up.zip"
    words = ["--as", platform, "--students", "21", "--seed", "3"]
    words += ["--assignment", ID, "--course", COURSE]
    assert typed("sample-class", zip_file, *words)[0] == 0
    assert typed("sample-class", zip_file, *words)[0] == 2
    status, said = collect(zip_file)
    assert status == 0 and "21 placed; none unmatched" in said
    with (tmp_path / "made-up-class.csv").open(newline="") as file:
        numbers = {row["number"] for row in csv.DictReader(file)}
    people = read_roster(into, ID)
    assert len(standing(into)) == 21 == len(people)
    assert all(person.platform == platform and person.name for person in people.values())
    if platform != "gradescope":
        assert {person.number for person in people.values()} == numbers
    before = times()
    status, said = collect(zip_file)
    assert status == 0 and "21 unchanged; none unmatched" in said and times() == before


def test_what_was_collected_can_be_graded(collect, into):
    collect({f"ada/{BOOK}": ours(), "ben/hw.ipynb": DAMAGED})
    config = Config()
    config.CourseDirectory.root = str(into.parent)
    assert NbGraderAPI(config=config).get_submitted_students(ID) == {"ada", "ben"}
    notebooks = find_submissions(into, find_assignment(ID, find_course(COURSE)))
    assert list(notebooks) == ["ada", "ben"]
    assert all(notebook.name == BOOK for notebook in notebooks.values())
