"""What whoever writes an assignment types: `new`, `release` and `matrix --visible`."""

import shutil

import pytest
from skeletons import contents
from traitlets.config import Config
from typed_commands import typed

from autograder import find_assignment
from autograder.authoring import publish
from autograder.authoring.lint import missing_pieces
from autograder.authoring.skeleton import begin_assignment

pytestmark = pytest.mark.slow


def settings_in(text: str) -> dict:
    """What a configuration says about grading and pages."""
    config = Config()
    exec(text, {"get_config": lambda: config})
    return dict(config.Autograde) | dict(config.HTMLExporter)


def test_an_exercise_adds_files_and_changes_only_notebook_reference_and_checks(finished):
    root = finished.course.root
    before = contents(root)
    assert typed("new", "my-sheet", "another", "--course", root)[0] == 0
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


def test_what_a_student_defines_can_be_named(empty_course):
    place = ["--course", empty_course.root]
    for words in (
        ["new", "sheet", "rms_norm", "--name", "RMSNorm"],
        ["new", "sheet", "count", "--kind", "value", "--name", "N"],
        ["new", "sheet", "mean", "--kind", "function", "--name", "lessMean"],
        ["release", "sheet"],
    ):
        assert typed(*words, *place)[0] == 0
    assignment = find_assignment("sheet", empty_course)
    assert "class RMSNorm(nn.Module):" in assignment.solutions["rms_norm"]
    assert "N = 3 * 5 + 5" in assignment.solutions["count"]
    assert "def lessMean(x: Tensor)" in assignment.solutions["mean"]
    assert all("TODO(author)" in line for line in missing_pieces(assignment))


def test_graders_are_written_where_the_configuration_says(empty_course):
    config = empty_course.root / "nbgrader_config.py"
    config.write_text("c = get_config()\nc.Graders.directory = 'hidden/checks'\n")
    assert typed("new", "sheet", "one", "--course", empty_course.root)[0] == 0
    assert "hidden/checks/sheet/test_one.py" in contents(empty_course.root)
    assert "pytest hidden/checks/" in (empty_course.root / "hidden/checks/conftest.py").read_text()


def test_settings_of_nbgrader_are_said_where_they_are_missing(course, empty_course):
    place = ["--course", empty_course.root]
    status, said = typed("new", "sheet", *place)
    settings = said[said.index("from autograder") :]
    ours = (course.root / "nbgrader_config.py").read_text()
    assert status == 0 and settings_in(settings) == settings_in(ours)
    (empty_course.root / "nbgrader_config.py").write_text(settings)
    status, said = typed("new", "other", *place)
    assert status == 0 and "configure(c)" not in said


def test_a_check_has_a_line_for_each_missing_piece(finished, empty_course):
    course = ["--course", empty_course.root]
    begin_assignment("sheet", empty_course)
    status, said = typed("release", "--check", *course)
    assert status == 1 and said.splitlines()[1:] == [  # below the one on what is done
        "sheet: the notebook has no exercise yet: a solution cell and its check cell.",
        "sheet: the cell `title` still says TODO(author).",
        "sheet: release/sheet/ is not made yet: run `python -m autograder release sheet`.",
    ]
    status, said = typed("release", "--check", "--course", finished.course.root)
    assert status == 1 and "my-sheet.ipynb is not what source/ makes: run" in said
    assert typed("release", "--course", finished.course.root)[0] == 0
    status, said = typed("release", "--check", "--course", finished.course.root)
    assert status == 0 and said.endswith("\nNothing is missing in my-sheet.\n")


@pytest.mark.slow  # nbgrader and kernels
def test_a_release_that_was_never_made_is_made_and_noticed_before(copied, small):
    words = [copied.id, "--course", copied.course.root]
    made = copied.release.parent
    shutil.rmtree(made)
    assert [one.count("is not made yet") for one in publish.check_release(copied)] == [1]
    assert typed("release", *words)[0] == 0 and publish.check_release(copied) == []
    assert contents(made) == contents(small.release.parent)


@pytest.mark.filterwarnings("ignore")  # mistakes may do what torch warns of
def test_ways_that_a_visible_check_misses_are_counted_and_its_words_on_one_mistake_printed(
    assignment,
):
    words = ["matrix", assignment.id, "--visible", "--exercise", "feed_forward"]
    status, said = typed(*words)
    assert status == 0 and "false alarms" in said and "Which three modules" not in said
    status, said = typed(*words, "--mistake", "no_relu")
    assert status == 0 and "feed_forward: no_relu: Which three modules" in said
