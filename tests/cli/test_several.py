"""Several assignments in one course, one of which was never released: none has to be named."""

import csv
import shutil
import zipfile
from pathlib import Path

import pytest
from skeletons import SHEET, contents

from autograder.authoring import kill_matrix, publish
from autograder.authoring.sample_class import write_class
from autograder.classroom.find import assignments_in
from autograder.cli.main import main
from autograder.collect import downloads
from autograder.collect.archive import open_download
from autograder.engine.assignment import find_assignment

SMALL = "small-sheet"


@pytest.fixture
def run(two, capfd, monkeypatch):
    """Run a command in the course; return its status and what was said."""
    monkeypatch.chdir(two.root)

    def command(*words: str) -> tuple[int, str]:
        status = main([*words])
        return status, "".join(capfd.readouterr())

    return command


def refused(said: tuple[int, str]) -> str:
    """What a command refused as wrong usage, in one sentence."""
    status, sentence = said
    assert status == 2 and sentence.count("\n") == 1, sentence
    return sentence


def test_a_class_is_invented_in_each_assignment_with_the_same_people(run, two):
    status, said = run("sample-class", "submitted", "--students", "3")
    assert status == 0 and said.count("3 submissions of") == 2
    with Path("submitted", "sample-class.csv").open(newline="") as file:
        rows = {(row["student"], row["assignment"]) for row in csv.DictReader(file)}
    assert rows == {path.parts[1:] for path in Path("submitted").glob("*/*")} and len(rows) == 6
    found = assignments_in(Path("submitted"), two)
    assert [one.id for one in found] == [SHEET, SMALL]
    shutil.rmtree(next(Path("submitted").glob(f"*/{SHEET}")).parent)
    for folder in Path("submitted").glob(f"*/{SHEET}"):
        shutil.rmtree(folder)
    assert [one.id for one in assignments_in(Path("submitted"), two)] == [SMALL]


def test_a_damaged_source_stops_no_other_assignment(run, two):
    (two.source / SHEET / f"{SHEET}.ipynb").write_text('{"cells": [')
    status, said = run("sample-class", "submitted", "--students", "3")
    assert status == 1 and f"3 submissions of {SMALL}" in said
    assert f"{SHEET} is left out: " in said and "Traceback" not in said
    assert {path.name for path in Path("submitted").glob("*/*")} == {SMALL}


@pytest.mark.walls
def test_one_notebook_says_by_folder_or_name_of_which_it_is(run, two):
    write_class(find_assignment(SHEET, two), two.root / "submitted", 1, seed=1)
    (notebook,) = Path("submitted").glob(f"*/{SHEET}/*.ipynb")
    assert run("grade", str(notebook), "--no-gradebook", "--results", "a")[0] == 0
    elsewhere = shutil.copy(notebook, "work.ipynb")  # then the cells say it
    assert run("grade", elsewhere, "--results", "b")[0] == 0
    assert {path.parts[1] for path in Path().glob("[ab]/*/*.json")} == {SHEET}


def test_cells_count_more_than_a_name_that_does_not_fit_them(run, two):
    shutil.copy(two.source / SHEET / f"{SHEET}.ipynb", f"{SMALL}.ipynb")
    assert [one.id for one in assignments_in(Path(f"{SMALL}.ipynb"), two)] == [SHEET]
    Path(f"{SMALL}.ipynb").write_text("{")  # no cells: its name says it
    assert [one.id for one in assignments_in(Path(f"{SMALL}.ipynb"), two)] == [SMALL]


def test_where_nothing_says_it_a_sentence_says_which_there_are(run, two):
    Path("empty").mkdir()
    Path("work.ipynb").write_text('{"cells": [], "nbformat": 4}')
    for words in (
        ["grade", "empty"],
        ["grade", "work.ipynb"],
        ["collect", "empty", "--into", "submitted"],
        ["sample-class", "moodle.zip", "--as", "moodle"],
    ):
        sentence = refused(run(*words))
        assert SMALL in sentence and SHEET in sentence, words
    assert not {"submitted", "results", "moodle.zip"} & {path.name for path in Path().iterdir()}


def test_a_course_is_no_folder_of_submissions(run):
    """`source/<assignment>/` lies there as submissions of a student called source would."""
    for words in ([], ["--assignment", SMALL]):
        Path("submitted").mkdir(exist_ok=True)
        assert "did you mean `submitted`?" in refused(run("grade", ".", *words))


def test_a_notebook_is_collected_by_its_name(run, two):
    assert run("sample-class", "x.zip", "--assignment", SHEET, "--as", "canvas")[0] == 0
    assert run("collect", "x.zip", "--into", "submitted")[0] == 0
    assert {path.name for path in Path("submitted").glob("[a-z]*/*")} == {SHEET}
    assert run("sample-class", "y.zip", "--assignment", SMALL, "--as", "moodle")[0] == 0
    sentence = refused(run("collect", "x.zip", "y.zip", "--into", "elsewhere"))
    assert f"of {SHEET} and of {SMALL}" in sentence and not Path("elsewhere").exists()


def test_a_misnamed_notebook_in_a_class_keeps_no_other_out(run, two, monkeypatch):
    opened = []

    def open_once(path, **options):
        opened.append(path.name)
        return open_download(path, **options)

    monkeypatch.setattr(downloads, "open_download", open_once)
    book = two.release / SMALL / f"{SMALL}.ipynb"
    with zipfile.ZipFile("x.zip", "w") as archive:
        for number in range(5):
            name = SHEET if number == 3 else SMALL
            archive.write(book, f"S_{number}_assignsubmission_file/{name}.ipynb")
    status, said = run("collect", "x.zip", "--into", "submitted")
    assert status == 0 and "5 placed; all placed" in said and opened == ["x.zip"]
    assert len(list(Path("submitted").glob(f"*/{SMALL}/{SMALL}.ipynb"))) == 5


def test_choices_are_of_the_assignment_of_which_something_has_no_place(run, two):
    Path("choices.csv").write_text("download,file,student\nx.zip,hw.ipynb,ada\n")
    words = ["collect", "--resolve", "choices.csv", "--into", "submitted"]
    assert "There is no not-placed.csv" in refused(run(*words))
    with zipfile.ZipFile("x.zip", "w") as archive:
        for id in (SHEET, SMALL):
            archive.write(two.source / id / f"{id}.ipynb", f"S_1_assignsubmission_file/{id}.ipynb")
        archive.write(two.source / SMALL / f"{SMALL}.ipynb", "hw.ipynb")
    assert run("collect", "x.zip", "--into", "submitted", "--assignment", SMALL)[0] == 3
    assert run(*words)[0] == 0 and Path("submitted", "ada", SMALL, f"{SMALL}.ipynb").is_file()
    Path("submitted", ".received", SHEET).mkdir()
    for id in (SHEET, SMALL):
        Path("submitted", ".received", id, "not-placed.csv").touch()
    assert f"of {SHEET} and of {SMALL}" in refused(run(*words))


def test_a_notebook_is_checked_by_its_cells_and_then_by_its_name(run, two):
    shutil.copytree(two.source / SHEET, two.source / "other-sheet")
    shutil.move("source/other-sheet/my-sheet.ipynb", "source/other-sheet/other-sheet.ipynb")
    shutil.copy(two.source / SHEET / f"{SHEET}.ipynb", "my-sheet (1).ipynb")
    assert run("check", "my-sheet (1).ipynb")[1].startswith(f"{SHEET}:\n")
    shutil.copy("my-sheet (1).ipynb", "work.ipynb")
    assert "one of my-sheet, other-sheet" in refused(run("check", "work.ipynb"))
    assert run("check", "work.ipynb", "--assignment", "other-sheet")[1].startswith("other-sheet:")


def test_a_second_invented_class_joins_the_first_and_no_real_one(run, two):
    assert run("sample-class", "class", "--assignment", SMALL, "--students", "2")[0] == 0
    before = contents(Path("class"))
    assert run("sample-class", "class", "--assignment", SHEET, "--students", "2")[0] == 0
    after = contents(Path("class"))
    assert {
        name: after[name] for name in before if name.endswith("ipynb")
    }.items() <= before.items()
    assert len(after) == 5
    for words in ([], ["--assignment", SHEET]):
        assert "is not empty" in refused(run("sample-class", "class", *words))
    Path("class/sample-class.csv").unlink()
    assert "is not empty" in refused(run("sample-class", "class", "--assignment", SHEET))


@pytest.mark.parametrize(("verb", "words"), [("release", []), ("solution", ["--solution"])])
def test_versions_are_made_of_all_or_of_those_that_are_named(run, monkeypatch, verb, words):
    made = []
    monkeypatch.setattr(publish, verb, lambda assignment: made.append(assignment.id) or [])
    assert run("release", *words)[0] == run("release", SMALL, *words)[0] == 0
    assert made == [SHEET, SMALL, SMALL]


def test_a_matrix_is_made_of_all_or_of_the_one_that_has_the_exercise(run, monkeypatch):
    made = []

    def matrix(assignment, console, tables, jobs, options):
        made.append((assignment.id, tables.as_posix()))
        return ["it is wrong"] if assignment.id == SHEET else []

    monkeypatch.setattr(kill_matrix, "run_matrix", matrix)
    assert run("matrix")[0] == run("matrix", "--into", "t")[0] == 1
    assert run("matrix", "--exercise", "softmax", "--into", "t")[0] == 0
    assert made[:2] == [(SHEET, f"matrix/{SHEET}"), (SMALL, f"matrix/{SMALL}")]
    assert made[2:] == [(SHEET, f"t/{SHEET}"), (SMALL, f"t/{SMALL}"), (SMALL, "t")]
    assert f"in `{SHEET}` or `{SMALL}`. There is: one_module, rms_norm" in refused(
        run("matrix", "--exercise", "encoder")
    )


def test_visible_checks_are_tried_where_there_are_any(run):
    status, said = run("visible-checks", "--exercise", "one_module")
    assert status == 0 and "one_module" in said and "rms_norm" not in said


def test_an_assignment_that_was_only_begun_stands_in_nobodys_way(run, two):
    assert main(["new", "begun"]) == 0
    assert run("sample-class", "class", "--students", "1")[0] == 0
    assert {path.name for path in Path("class").glob("*/*")} == {SMALL, SHEET}
    assert "has no check cell" in refused(run("sample-class", "x", "--assignment", "begun"))
    assert "new ASSIGNMENT EXERCISE" in refused(run("matrix", "begun"))


@pytest.mark.parametrize("verb", ["demo", "release", "matrix", "lint", "sample-class", "grade"])
def test_a_course_without_assignments_says_how_one_is_begun(verb, empty_course, capsys):
    words = ["submitted"] if verb in ("sample-class", "grade") else []
    assert main([verb, *words, "--course", str(empty_course.root)]) == 2
    said = capsys.readouterr().err
    assert "`python -m autograder new NAME` begins one" in said and said.count("\n") == 1
