"""Several assignments in one course, one of which was never released: none has to be named."""

import csv
import shutil
import zipfile
from pathlib import Path

import pytest
from skeletons import SHEET, contents
from typed_commands import refused, typed

from autograder import find_assignment
from autograder.authoring import kill_matrix, publish
from autograder.authoring.sample_class import write_class
from autograder.classroom.find import assignments_in
from autograder.platforms.collect.archive import open_download

pytestmark = pytest.mark.slow

SMALL = "small-sheet"


@pytest.fixture(autouse=True)
def _in_the_course(two, monkeypatch):
    monkeypatch.chdir(two.root)


def test_a_class_is_invented_in_each_assignment_with_the_same_people(two):
    assert typed("new", "begun")[0] == 0  # which stands in nobody's way
    status, said = typed("sample-class", "submitted", "--students", "3", "--seed", "4")
    assert status == 0 and said.count("3 submissions of") == 2
    with Path("submitted", "sample-class.csv").open(newline="") as file:
        rows = {(row["student"], row["assignment"]) for row in csv.DictReader(file)}
    assert rows == {path.parts[1:] for path in Path("submitted").glob("*/*")} and len(rows) == 6
    found = assignments_in(Path("submitted"), two)
    assert [one.id for one in found] == [SHEET, SMALL]
    for folder in Path("submitted").glob(f"*/{SHEET}"):
        shutil.rmtree(folder)
    assert [one.id for one in assignments_in(Path("submitted"), two)] == [SMALL]


def test_a_damaged_source_stops_no_other_assignment(two):
    (two.source / SHEET / f"{SHEET}.ipynb").write_text('{"cells": [')
    status, said = typed("sample-class", "submitted", "--students", "3")
    assert status == 1 and f"3 submissions of {SMALL}" in said
    assert f"{SHEET} is left out: " in said and "Traceback" not in said
    assert {path.name for path in Path("submitted").glob("*/*")} == {SMALL}


def test_a_second_invented_class_joins_the_first_and_no_real_one():
    words = ["sample-class", "class", "--students", "2", "--seed", "4", "--assignment"]
    for id in (SMALL, SHEET):
        before = contents(Path("class"))
        status, said = typed(*words, id)
        after = contents(Path("class"))
        assert status == 0 and f"2 submissions of {id} are in" in said
        kept = {name: after[name] for name in before if name.endswith("ipynb")}
        assert kept.items() <= before.items()
    assert len(after) == 5
    for more in ([], ["--assignment", SHEET]):
        assert "is not empty" in refused("sample-class", "class", *more)
    Path("class/sample-class.csv").unlink()
    assert "is not empty" in refused("sample-class", "class", "--assignment", SHEET)


@pytest.mark.walls
def test_one_notebook_says_by_folder_or_name_of_which_it_is(two):
    write_class(find_assignment(SHEET, two), two.root / "submitted", 1, seed=1)
    (notebook,) = Path("submitted").glob(f"*/{SHEET}/*.ipynb")
    assert typed("grade", notebook, "--no-gradebook", "--results", "a")[0] == 0
    elsewhere = shutil.copy(notebook, "work.ipynb")  # then the cells say it
    assert typed("grade", elsewhere, "--results", "b")[0] == 0
    assert {path.parts[1] for path in Path().glob("[ab]/*/*.json")} == {SHEET}


def test_cells_count_more_than_a_name_that_does_not_fit_them(two):
    notebook = Path(f"{SMALL}.ipynb")
    shutil.copy(two.source / SHEET / f"{SHEET}.ipynb", notebook)
    assert [one.id for one in assignments_in(notebook, two)] == [SHEET]
    notebook.write_text("{")  # no cells: its name says it
    assert [one.id for one in assignments_in(notebook, two)] == [SMALL]


def test_a_notebook_is_collected_by_its_name(two):
    """Also where one of a class is misnamed; the download is opened once."""
    for id, name in ((SMALL, "x.zip"), (SHEET, "y.zip")):
        book = two.source / id / f"{id}.ipynb"
        with zipfile.ZipFile(name, "w") as archive:
            for number in range(5):
                named = SHEET if number == 3 else id
                archive.write(book, f"S_{number}_assignsubmission_file/{named}.ipynb")
    opened = []

    def open_once(path, **options):
        opened.append(path.name)
        return open_download(path, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.platforms.commands.collect_run.open_download", open_once)
        status, said = typed("collect", "x.zip", "--into", "submitted")
    assert status == 0 and "5 placed; none unmatched" in said and opened == ["x.zip"]
    assert len(list(Path("submitted").glob(f"*/{SMALL}/{SMALL}.ipynb"))) == 5
    sentence = refused("collect", "x.zip", "y.zip", "--into", "elsewhere")
    assert f"of {SHEET} and of {SMALL}" in sentence and not Path("elsewhere").exists()


def test_choices_are_of_the_assignment_of_which_something_has_no_place(two):
    Path("choices.csv").write_text("download,file,student\nx.zip,hw.ipynb,ada\n")
    resolve = ["collect", "--resolve", "choices.csv", "--into", "submitted"]
    with zipfile.ZipFile("x.zip", "w") as archive:
        for id in (SHEET, SMALL):
            archive.write(two.source / id / f"{id}.ipynb", f"S_1_assignsubmission_file/{id}.ipynb")
        archive.write(two.source / SMALL / f"{SMALL}.ipynb", "hw.ipynb")
    assert typed("collect", "x.zip", "--into", "submitted", "--assignment", SMALL)[0] == 3
    assert typed(*resolve)[0] == 0
    assert Path("submitted", "ada", SMALL, f"{SMALL}.ipynb").is_file()
    for id in (SHEET, SMALL):
        Path(f"unmatched-{id}.csv").touch()
    assert f"of {SHEET} and of {SMALL}" in refused(*resolve)


def test_a_notebook_is_checked_by_its_cells_and_then_by_its_name(two):
    shutil.copytree(two.source / SHEET, two.source / "other-sheet")
    shutil.move("source/other-sheet/my-sheet.ipynb", "source/other-sheet/other-sheet.ipynb")
    shutil.copy(two.source / SHEET / f"{SHEET}.ipynb", "my-sheet (1).ipynb")
    assert typed("check", "my-sheet (1).ipynb")[1].startswith(f"{SHEET}:\n")
    shutil.copy("my-sheet (1).ipynb", "work.ipynb")
    assert "one of my-sheet, other-sheet" in refused("check", "work.ipynb")
    _, said = typed("check", "work.ipynb", "--assignment", "other-sheet")
    assert said.startswith("other-sheet:")


@pytest.mark.parametrize(("verb", "words"), [("release", []), ("solution", ["--solution"])])
def test_versions_are_made_of_all_or_of_those_that_are_named(monkeypatch, verb, words):
    made = []
    monkeypatch.setattr(publish, verb, lambda assignment: made.append(assignment.id) or [])
    assert typed("release", *words)[0] == typed("release", SMALL, *words)[0] == 0
    assert made == [SHEET, SMALL, SMALL]


def test_a_matrix_is_made_of_all_or_of_the_one_that_has_the_exercise(monkeypatch):
    made = []

    def matrix(assignment, console, tables, jobs, options):
        made.append((assignment.id, tables.as_posix()))
        return ["it is wrong"] if assignment.id == SHEET else []

    monkeypatch.setattr(kill_matrix, "run_matrix", matrix)
    assert typed("matrix")[0] == 1
    assert typed("matrix", "--exercise", "softmax")[0] == 0
    assert made == [
        (SHEET, f"matrix/{SHEET}"),
        (SMALL, f"matrix/{SMALL}"),
        (SMALL, f"matrix/{SMALL}/softmax"),
    ]


def test_visible_checks_are_tried_where_there_are_any():
    status, said = typed("matrix", "--visible", "--exercise", "one_module")
    assert status == 0 and "one_module" in said and "rms_norm" not in said
