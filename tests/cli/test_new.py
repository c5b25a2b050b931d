"""`new` on the command line: what it writes where, what it refuses, and what it says to do next."""

import pytest
from skeletons import contents
from traitlets.config import Config

from autograder.authoring.lint import missing_pieces
from autograder.authoring.skeleton import KINDS
from autograder.cli import new as command
from autograder.cli.exit_status import OK, USAGE
from autograder.cli.main import main
from autograder.engine.assignment import find_assignment


def settings_in(text: str) -> dict:
    """What a configuration says about grading and pages."""
    config = Config()
    exec(text, {"get_config": lambda: config})
    return dict(config.Autograde) | dict(config.HTMLExporter)


def test_the_command_offers_the_kinds_that_there_are():
    assert set(command.KINDS) == set(KINDS)


def test_an_exercise_adds_files_and_changes_only_notebook_reference_and_checks(finished):
    root = finished.course.root
    before = contents(root)
    assert main(["new", "my-sheet", "another", "--course", str(root)]) == OK
    after = contents(root)
    changed = {name for name in before if before[name] != after[name]}
    reference, checks = "graders/my_sheet/reference.py", "source/my-sheet/my_sheet_checks.py"
    assert changed == {"source/my-sheet/my-sheet.ipynb", reference, checks}
    assert all(after[name].startswith(before[name]) for name in (reference, checks))
    assert after.keys() - before.keys() == {
        "graders/my_sheet/test_another.py",
        "graders/my_sheet/mistakes/another.md",
        "graders/my_sheet/variants/another.py",
    }


@pytest.mark.parametrize(
    "words",
    [["my-sheet"], ["my-sheet", "one_module"], ["my-sheet", "one_value", "--kind", "module"]],
)
def test_what_is_there_is_never_overwritten(words, skeleton, capsys):
    before = contents(skeleton.course.root)
    assert main(["new", *words, "--course", str(skeleton.course.root)]) == USAGE
    assert capsys.readouterr().err.endswith("is there already, and nothing is overwritten.\n")
    assert contents(skeleton.course.root) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["My_Sheet"], "`My_Sheet` is no name for an assignment"),
        (["2-sheets"], "`2-sheets` is no name for an assignment"),
        (["json"], "`json` is a name of Python's"),
        (["statistics", "mean"], "`statistics` is a name of Python's"),
        (["torch"], "`torch` is a name of Python's"),
        (["lambda"], "`lambda` is a name of Python's"),
        (["sheet", "RMSNorm"], "`RMSNorm` is no name for an exercise"),
        (["sheet", "class"], "`class` is a word of Python"),
        (["sheet", "lambda"], "`lambda` is a word of Python"),
        (["sheet", "nn", "--kind", "value"], "`nn` is reserved"),
        (["sheet", "tensor"], "`tensor` is reserved"),
        (["sheet", "torch"], "`torch` is reserved"),
        (["sheet", "x" * 41], f"`{'x' * 41}` has more than 40 characters"),
        (["x" * 41], f"`{'x' * 41}` has more than 40 characters"),
        (["sheet", "one", "--name", "RMS-Norm"], "`RMS-Norm` is no name in Python"),
        (["sheet", "one", "--name", "2norm"], "`2norm` is no name in Python"),
        (["sheet", "one", "--name", "None"], "`None` is a word of Python"),
        (["sheet", "one", "--name", "Tensor"], "`Tensor` is reserved"),
        (["sheet", "--name", "RMSNorm"], "--name is for an exercise"),
        (["sheet", "rms-norm"], "`rms-norm` is no name for an exercise"),
        (["sheet", "together"], "`together` is reserved"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(words, sentence, empty_course, capsys):
    assert main(["new", *words, "--course", str(empty_course.root)]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"autograder: {sentence}")
    assert contents(empty_course.root).keys() == {"nbgrader_config.py"}


def test_what_a_student_defines_can_be_named(empty_course):
    place = ["--course", str(empty_course.root)]
    assert main(["new", "sheet", "rms_norm", "--name", "RMSNorm", *place]) == OK
    assert main(["new", "sheet", "count", "--kind", "value", "--name", "N", *place]) == OK
    assert main(["new", "sheet", "mean", "--kind", "function", "--name", "lessMean", *place]) == OK
    assert main(["release", "sheet", *place]) == OK
    assignment = find_assignment("sheet", empty_course)
    assert "class RMSNorm(nn.Module):" in assignment.solutions["rms_norm"]
    assert "N = 3 * 5 + 5" in assignment.solutions["count"]
    assert "def lessMean(x: Tensor)" in assignment.solutions["mean"]
    assert all("TODO(author)" in line for line in missing_pieces(assignment))


def test_without_a_course_it_says_how_to_begin_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "sheet"]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert "no nbgrader_config.py" in line
    assert "may be empty" in line


def test_graders_are_written_where_the_configuration_says(empty_course, capsys):
    config = empty_course.root / "nbgrader_config.py"
    config.write_text("c = get_config()\nc.Graders.directory = 'hidden/checks'\n")
    assert main(["new", "sheet", "one", "--course", str(empty_course.root)]) == OK
    assert "hidden/checks/sheet/test_one.py" in contents(empty_course.root)
    assert "pytest hidden/checks/" in (empty_course.root / "hidden/checks/conftest.py").read_text()


def test_settings_of_nbgrader_are_said_where_they_are_missing(course, empty_course, capsys):
    place = ["--course", str(empty_course.root)]
    assert main(["new", "sheet", *place]) == OK
    said = capsys.readouterr().out
    settings = said[said.index("from autograder") :]
    assert settings_in(settings) == settings_in((course.root / "nbgrader_config.py").read_text())
    (empty_course.root / "nbgrader_config.py").write_text(settings)
    assert main(["new", "other", *place]) == OK
    assert "configure(c)" not in capsys.readouterr().out
