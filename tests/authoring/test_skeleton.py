"""What `new` writes: complete enough to be graded, and never in the place of something else."""

import shutil
import subprocess
import sys

import nbformat
import pytest
from skeletons import contents
from submissions import edit, exercise, lost

from autograder import Assignment, AutograderError
from autograder.authoring.edited import as_edited
from autograder.authoring.exercise_table import exercise_table
from autograder.authoring.new_names import LONGEST, refuse_exercise
from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.authoring.skeleton import (
    KINDS,
    begin_assignment,
    begin_exercise,
)
from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.variants import variants
from autograder.authoring.visible_checks import checks_file, declared_checks
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises
from autograder.mistakes.mistake import mistakes

TOOLBOX = toolbox_module()  # as it is released
ExerciseHeading = TOOLBOX.ExerciseHeading


@pytest.fixture
def grade(skeleton, walls, tmp_path):
    """Hand in the solution with these cells changed, and grade it behind the walls."""

    def run(cells):
        submission = SampleSubmission(skeleton.solutions | cells, "")
        shutil.rmtree(tmp_path / "submitted", ignore_errors=True)
        notebook = write_submission(skeleton, tmp_path / "submitted", submission)
        return Grader(skeleton, walls, explain=diagnose_exercises).grade("s001", notebook).verdict

    return run


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_mistake_is_named_and_costs_its_own_exercise(kind, skeleton, grade):
    name = f"one_{kind}"
    known = [mistake for mistake in mistakes(skeleton) if mistake.exercise == name]
    assert known
    for mistake in known:
        for way in range(len(mistake.cells)):
            verdict = grade({name: mistake.cells[way]})
            assert lost(verdict) == {name: 1 / len(known)}
            assert [named.id for named in exercise(verdict, name).mistakes] == [mistake.id]


def test_each_statement_has_its_points_its_mistake_and_its_reading(grade):
    verdict = grade({"one_choice": "one_choice = {'A ': 'true', 'b': 'yes'}"})
    checks = exercise(verdict, "one_choice").checks
    assert [check.points for check in checks] == [0.5, 0.0]
    assert checks[1].message.startswith("Which of the two sizes is that of the input?")
    verdict = grade({"one_choice": "one_choice = {'a': False, 'b': True}"})
    assert exercise(verdict, "one_choice").points == 0.0
    assert len(exercise(verdict, "one_choice").mistakes) == 2
    verdict = grade({"one_choice": "one_choice = {'a': ..., 'b': False}"})  # one is left open
    assert exercise(verdict, "one_choice").points == 0.5


def test_the_variants_earn_full_marks(skeleton, grade):
    cells = [variant.cells for variant in variants(skeleton)]
    assert len(cells) == len(KINDS)
    assert not lost(grade({name: cell for one in cells for name, cell in one.items()}))


def test_the_release_asks_for_everything(skeleton, walls):
    verdict = (
        Grader(skeleton, walls, explain=diagnose_exercises).grade("s001", skeleton.release).verdict
    )
    assert verdict.points == 0
    assert {result.state for result in verdict.exercises} == {"not_attempted"}


@pytest.mark.parametrize("letters", [1, LONGEST - 1])
def test_files_are_formatted_as_this_project_is(letters, course, empty_course):
    sheet = Assignment("x" * LONGEST, empty_course)
    begin_assignment(sheet.id, empty_course)
    for kind in KINDS:  # which begin with other letters each
        begin_exercise(sheet, kind[0] + "x" * letters, kind)
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--no-cache", "--config", str(course.root / "pyproject.toml")]
    no_variants = ["--exclude", "variants"]  # which define nothing of what they use
    for words in (
        ["check", *no_variants],
        ["format", "--check"],
    ):
        done = subprocess.run(
            [*ruff, *words, *settings, sheet.graders, checks_file(sheet)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    for file in sheet.graders.rglob("*.py"):
        assert max(map(len, file.read_text().splitlines()), default=0) <= 100, file


def test_a_cell_that_is_there_is_not_written_again(finished, capsys):
    for file in finished.graders.rglob("*one_value*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    before = contents(finished.course.root)
    with pytest.raises(AutograderError, match="has a cell `one_value_goal` already"):
        begin_exercise(finished, "one_value", "value")
    assert contents(finished.course.root) == before


def test_an_exercise_comes_behind_the_last_check(finished):
    begin_exercise(finished, "another", "value")
    ids = [cell.id for cell in nbformat.read(finished.source, as_version=4).cells]
    ends = ["check_one_choice", "another_goal", "another", "check_another", "how_i_used_ai"]
    assert ids[-7:-2] == ends
    table = exercise_table(as_edited(finished).cells)
    assert table["another"] == ExerciseHeading("5", "Another", 1, 10, ("another",))


def test_an_exercise_brings_the_first_cell_and_the_checks_where_there_are_none(finished):
    def take(content: dict) -> None:
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != "set_up"]

    edit(finished.source, take)
    checks_file(finished).unlink()
    begin_exercise(finished, "another", "value")
    begin_exercise(finished, "one_more", "module")
    ids = [cell.id for cell in nbformat.read(finished.source, as_version=4).cells]
    assert ids.count("set_up") == 1 and ids.index("set_up") < ids.index("another_goal")
    assert list(declared_checks(finished)) == ["another", "one_more"]


@pytest.mark.parametrize("name", ["toolbox", "set_up", "torch"])
def test_names_of_the_notebook_are_reserved(name, empty_course):
    with pytest.raises(AutograderError, match="reserved"):
        refuse_exercise("one", name)


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        (
            '"""The oracle."""\n',
            '"""The oracle."""\n\nfrom torch import Tensor, nn\n\n\nclass Other(',
        ),
        (
            "import math\n\nX = 1\n",
            "import math\nfrom torch import Tensor, nn\n\nX = 1\n\n\nclass Other(",
        ),
        (
            "from torch import nn\n",
            "from torch import nn\nfrom torch import Tensor\n\n\nclass Other(",
        ),
        ("", "from torch import Tensor, nn\n\n\nclass Other("),
        ("class Other:\n    pass\n", "class Other:\n    pass\n"),
    ],
)
def test_the_reference_gets_what_its_new_part_needs(text, beginning, finished):
    reference = finished.graders / "reference.py"
    reference.write_text(text)
    begin_exercise(finished, "other", "module")
    assert reference.read_text().startswith(beginning)


def test_a_reference_that_is_no_python_is_left_alone(finished):
    (finished.graders / "reference.py").write_text("def half(")
    before = contents(finished.course.root)
    with pytest.raises(AutograderError, match="cannot be read"):
        begin_exercise(finished, "other", "module")
    assert contents(finished.course.root) == before
