"""What is wrong usage is said in one line that says what to do, and nothing is written."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from downloads import DAMAGED, moodle
from exports import ADA, canvas_course, keep, moodle_assignment, verdict
from feedback_pages import verdict as small_verdict
from msgspec.structs import replace
from skeletons import SHEET, contents
from submissions import hand_in_comments
from typed_commands import refused, typed

from autograder import Assignment
from autograder._commands.exit_status import FAILED, NOT_GRADED, OK, STOPPED, USAGE, worst
from autograder._commands.main import commands
from autograder.authoring.commands import new
from autograder.authoring.skeleton import KINDS, begin_assignment, begin_exercise
from autograder.engine.courses import read_course

pytestmark = pytest.mark.slow

LONG = "x" * 41
ODD_NUMBER = "is no part like 2/5"
ALL = f"There is: begun, {SHEET}, small-sheet."
ONE_OF = f"one of begun, {SHEET}, small-sheet"
OF_A_WATCH = "grade submitted --watch --assignment small-sheet"
WRONG = {
    "nothing": "No such command 'nothing'",
    "check none.ipynb": "does not exist",
    "check work.ipynb --assignment none": f"There is no assignment `none`. {ALL}",
    "check work.ipynb --assignment my-sheet": "no cell of `my-sheet`",
    "check page.ipynb": "is a web page",
    "check damaged.ipynb": "damaged",
    "check no-cells.ipynb": "has no cell of any assignment of this course",
    "collect empty --into new": ONE_OF,
    "collect moodle.zip --into new --timezone ../../etc/passwd": "is no time zone",
    "collect --resolve empty.csv --into new": "There is no table `unmatched-<assignment>.csv`",
    "enter nowhere": "There is no folder `",
    "enter empty": "No verdicts are in `",
    "enter empty --assignment small-sheet": "No verdicts of `small-sheet` are in `",
    "enter results --assignment none": "There is no assignment `none`.",
    "enter results --course nowhere": "is no nbgrader course",
    "enter results/small-sheet --gradebook nonsense": "The gradebook's address cannot be read",
    "export nowhere --format csv": "There is no folder",
    "export empty --format csv": "No verdicts are in",
    "export results --format csv --assignment decoder": "No verdicts of `decoder`",
    "export results/small-sheet --format canvas --assignment sheet-3": "sheet-3",
    "export results --format canvas --out mine": "one of sheet-3, small-sheet",
    "export results --format canvas --sheet mine": "one of sheet-3, small-sheet",
    "export results --format canvas --column mine": "one of sheet-3, small-sheet",
    "export results/sheet-3 --format canvas --sheet moodle.csv": "no gradebook from Canvas",
    "export results/sheet-3 --format moodle --sheet canvas.csv": "no column `Grade`. Download the worksheet",
    "export results/sheet-3 --format moodle --sheet nowhere.csv": "There is no file",
    "export results/sheet-3 --format moodle --sheet zip.csv": "is no CSV",
    "export results/sheet-3 --format moodle --sheet bytes.csv": "is no text",
    "export results/sheet-3 --format moodle --sheet half.csv": "line 5: there are 4 cells, and 10 in the header",
    "export results/sheet-3 --format moodle --sheet head.csv": "has no rows",
    "export results/sheet-3 --format moodle --sheet empty.csv": "has no rows",
    "export results/sheet-3 --format csv --sheet moodle.csv": "--sheet is for",
    "export results/sheet-3 --format moodle --column x": "--column is for",
    "export results/sheet-3 --format csv --course results": "is no nbgrader course",
    "export results/sheet-3 --format csv --gradebook sqlite:///no.db": "There is no gradebook",
    "export results/sheet-3 --format csv --gradebook no.db": "address cannot be read",
    "feedback": "No page is made. The gradebook lacks 1 graded verdict of `results/`: `enter` first.",
    "feedback no-sheet": "There is no assignment `no-sheet`",
    "grade nowhere": "There is no folder or notebook",
    "grade empty": f"looked for empty/<student>/<assignment>/, of begun or {SHEET} or",
    "grade empty --assignment small-sheet": "No submission of `small-sheet` is in",
    "grade .": "did you mean `submitted`?",
    "grade . --assignment small-sheet": "did you mean `submitted`?",
    "grade submitted/s001 --assignment small-sheet": "did you mean `submitted`?",
    "grade no-cells.ipynb": "Neither name nor cells of `no-cells.ipynb` say",
    "grade submitted --assignment none": f"There is no assignment `none`. {ALL}",
    "grade submitted --course results": "is no nbgrader course",
    "grade submitted --jobs 0": "--jobs",
    "grade submitted --jobs 2 --scheduler tcp://a:1": "not allowed with",
    "grade submitted --sandbox off": "whoever wants that adds --yes-run-untrusted",
    "grade submitted --watch": "--watch is for one assignment: add --assignment",
    "grade work.ipynb --watch --assignment small-sheet": "takes a folder of submissions, and",
    "grade nowhere --watch --assignment small-sheet": "There is no",
    f"{OF_A_WATCH} --regrade": "--regrade is not allowed with --watch",
    f"{OF_A_WATCH} --seed 1": "--seed is not allowed with --watch",
    f"{OF_A_WATCH} --changes write": "--changes is not allowed with --watch",
    f"{OF_A_WATCH} --feedback --no-gradebook": "--feedback needs walls, and the gradebook",
    f"{OF_A_WATCH} --feedback --repositories submitted": "There is no table that names a repository",
    f"{OF_A_WATCH} --repositories submitted": "--repositories for --feedback: add it",
    f"{OF_A_WATCH} --feedback --sandbox off": "--feedback needs walls, and the gradebook",
    f"{OF_A_WATCH} --feedback --repositories nowhere": "does not exist",
    "grade submitted --feedback": "--feedback is for --watch",
    f"{OF_A_WATCH} --sandbox off": "whoever wants that adds --yes-run-untrusted",
    "inquiries": "Missing command",
    "inquiries add": "Name a table, or say --student",
    "inquiries add head.csv --student ada": "Name a table, or say --student",
    "inquiries add nowhere.csv": "does not exist",
    "inquiries add head.csv": "no column `student`",
    "inquiries list --for kim": "does not name 'kim': it has nobody yet",
    "inquiries list --assignment none": "There is no assignment `none`",
    "inquiries answer ada one --assignment small-sheet --by kim --reason x": "either --kept or",
    "inquiries answer ada one --assignment small-sheet --by kim --kept": "'--reason'",
    "look-alikes nowhere": "There is no folder or notebook",
    "look-alikes work.ipynb --assignment small-sheet": "and there is nothing to compare it",
    "look-alikes submitted --assignment no": "There is no assignment `no`",
    "look-alikes submitted --assignment my-sheet": "No submission of `my-sheet` is in",
    "look-alikes submitted --wrong": "No such option",
    "marking": "Missing command",
    "marking list --for 0/5": ODD_NUMBER,
    "marking list --for 6/5": ODD_NUMBER,
    "marking list --for 2": ODD_NUMBER,
    "marking list --for 1/101": ODD_NUMBER,
    "marking list --for a/b": ODD_NUMBER,
    "marking list --second -1": "is no share like 10%",
    "marking list --second 101%": "is no share like 10%",
    "marking list --second ten": "is no share like 10%",
    "marking list --formgrader javascript:alert(1)": "address",
    "marking compare nowhere.csv": "does not exist",
    "marking enter nowhere.json": "does not exist",
    "marking page": "Missing option '--for'",
    "marking page --for kim": "it has nobody yet",
    "marking compare head.csv": "no column `assignment`",
    "matrix small-sheet --exercise encoder": "There is no exercise `encoder` in `small-sheet`.",
    "matrix small-sheet --mistake overflo": "Did you mean `overflow`",
    "matrix --exercise encoder": "or `small-sheet`. There is: one_module, rms_norm",
    "matrix begun": "new ASSIGNMENT EXERCISE",
    "matrix small-sheet --visible --exercise explain": "There is no exercise `explain`",
    "matrix small-sheet --visible --mistake overflo": "Did you mean `overflow`",
    "matrix small-sheet --visible --seed 1": "--seed is not allowed with --visible",
    "new my-sheet": "is there already, and nothing is overwritten.",
    "new my-sheet one_module": "is there already, and nothing is overwritten.",
    "new small-sheet rms_norm --kind value": "is there already, and nothing is overwritten.",
    "new My_Sheet": "`My_Sheet` is no name for an assignment",
    "new 2-sheets": "`2-sheets` is no name for an assignment",
    "new json": "`json` is a name of Python's",
    "new statistics mean": "`statistics` is a name of Python's",
    "new torch": "`torch` is a name of Python's",
    "new lambda": "`lambda` is a name of Python's",
    f"new {LONG}": f"`{LONG}` has more than 40 characters",
    f"new sheet {LONG}": f"`{LONG}` has more than 40 characters",
    "new sheet RMSNorm": "`RMSNorm` is no name for an exercise",
    "new sheet rms-norm": "`rms-norm` is no name for an exercise",
    "new sheet class": "`class` is a word of Python",
    "new sheet lambda": "`lambda` is a word of Python",
    "new sheet nn --kind value": "`nn` is reserved",
    "new sheet tensor": "`tensor` is reserved",
    "new sheet torch": "`torch` is reserved",
    "new sheet together": "`together` is reserved",
    "new sheet one --name RMS-Norm": "`RMS-Norm` is no name in Python",
    "new sheet one --name 2norm": "`2norm` is no name in Python",
    "new sheet one --name None": "`None` is a word of Python",
    "new sheet one --name Tensor": "`Tensor` is reserved",
    "new sheet --name RMSNorm": "--name is for an exercise",
    "new sheet --course empty": "no nbgrader_config.py",
    "release decoder": "There is no assignment `decoder`",
    "release --solution decoder": "There is no assignment `decoder`",
    "release --check no-sheet": ALL,
    "release --check --solution small-sheet": "--check is not allowed with --solution",
    "report nowhere --out x.html": "There is no folder",
    "report results --out x.html --assignment other": "No verdicts of `other`",
    "report results --out x.html --roster nowhere.csv": "There is no file",
    "report results --out x.html --course results": "is no nbgrader course",
    "report results --out x.html --gradebook sqlite:///no.db": "There is no gradebook",
    "report results --out page.ipynb": "was not written by `report`",
    "sample-class x --students 0": "--students",
    "sample-class x --seed x": "--seed",
    "sample-class x --as blackboard": "--as",
    "sample-class x --assignment no": "There is no assignment `no`",
    "sample-class x --assignment begun": "has no check cell",
    "sample-class x.zip --as moodle": SHEET,
    "sample-class submitted": "is not empty",
    "status no-sheet": "There is no assignment `no-sheet`",
    "status --course results": "is no nbgrader course",
    "show ada-softmax --results nowhere": "There is no folder",
    "show ada-softmax --assignment decoder": "No verdicts of `decoder`",
    "show ada-sofmax": f"Did you mean {ADA}?",
}


@pytest.fixture(scope="module")
def world(small, tmp_path_factory) -> Path:
    """A course with something of everything; no command changes it."""
    top = tmp_path_factory.mktemp("world") / "course"
    with pytest.MonkeyPatch.context() as patch:
        shutil.copytree(small.course.root, top, ignore=shutil.ignore_patterns("__pycache__"))
        patch.chdir(top)
        fill_this_folder(small)
    return top


def fill_this_folder(small: Assignment) -> None:
    course = read_course(Path.cwd())
    for id in (SHEET, "begun"):
        begin_assignment(id, course)
    begin_exercise(Assignment(SHEET, course), "one_module", "module")
    keep(verdict(ADA, 10.0))
    keep(replace(small_verdict(), student=ADA))
    (notebook,) = hand_in_comments(small, Path("submitted"), ["s001"]).values()
    Path("empty").mkdir()
    sheet = moodle_assignment().export()
    for path, content in {
        "work.ipynb": notebook.read_bytes(),
        "page.ipynb": b"<!DOCTYPE html>",
        "damaged.ipynb": DAMAGED,
        "no-cells.ipynb": b'{"cells": [], "nbformat": 4}',
        "moodle.zip": moodle(1, hour=10),
        "moodle.csv": sheet,
        "canvas.csv": canvas_course().export(),
        "zip.csv": b"PK\x03\x04",
        "bytes.csv": b"Identifier,Grade\n\x81,1\n",
        "half.csv": sheet[:-20],
        "head.csv": b"Identifier\n",
        "empty.csv": b"",
    }.items():
        Path(path).write_bytes(content)


@pytest.mark.parametrize("line", WRONG)
def test_wrong_usage_is_said_in_one_line_and_nothing_is_written(line, world, monkeypatch):
    monkeypatch.chdir(world)
    before = contents(world)
    assert WRONG[line] in refused(*shlex.split(line))
    assert contents(world) == before


@pytest.mark.parametrize(
    "line",
    [
        *("release", "release --check", "matrix", "matrix --visible"),
        *("sample-class submitted", "grade submitted"),
    ],
)
def test_a_course_without_assignments_says_how_one_is_begun(line, empty_course):
    said = refused(*line.split(), "--course", empty_course.root)
    assert "`python -m autograder new NAME` begins one" in said


def test_new_offers_the_kinds_that_there_are():
    assert set(new.KINDS) == set(KINDS)


def all_commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words with which each command is called, those of groups in groups included."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from all_commands(command, (*words, name))
        else:
            yield *words, name


def test_each_command_of_the_list_is_there():
    assert {words[0] for words in all_commands(commands)} == {*commands.list_commands(None)}


def imported_by(code: str) -> set[str]:
    """The modules that a process of its own imports for this code."""
    code = f"import sys\nfrom autograder._commands import main\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*done.stdout.splitlines()[-1].split()}


def test_help_imports_no_command_and_no_command_torch_before_it_is_run():
    of_help = imported_by("main.main(['--help'])")
    assert {
        name for name in of_help if name.startswith("autograder.") and ".commands." in name
    } == set()
    of_all = imported_by(
        "for name in main.commands.list_commands(None): main.commands.get_command(None, name)"
    )
    assert "autograder.gradebook.commands.grade" in of_all and "torch" not in of_all


@pytest.mark.parametrize("words", [*all_commands(commands)], ids=" ".join)
def test_help_ends_with_what_each_exit_status_means(words):
    status, said = typed(*words, "--help")
    text, _, statuses = said.partition("Exit status:")
    assert status == OK and f"Usage: python -m autograder {' '.join(words)}" in text
    firsts = [line.split()[0] for line in statuses.splitlines() if line.split()]
    assert {OK, USAGE, STOPPED} <= {int(word) for word in firsts if word.isdigit()}
    assert "xit status" not in text, "it is said at the end, and nowhere else"


@pytest.mark.parametrize(
    ("statuses", "told"),
    [([], OK), ([OK, NOT_GRADED], NOT_GRADED), ([NOT_GRADED, FAILED, OK], FAILED)],
)
def test_what_could_not_be_written_is_not_hidden_by_what_is_to_be_graded_again(statuses, told):
    assert worst(statuses) == told
