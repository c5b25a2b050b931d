"""`viva`: who is asked, what is written, and what is refused."""

import shutil
from pathlib import Path

import pytest
from typed_commands import refused, typed

from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.desk.commands.viva import drawn
from autograder.engine import ResultsFolder
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.walls


@pytest.fixture(scope="module")
def verdicts(small, walls, tmp_path_factory) -> Path:
    """A folder with the verdicts on three students, not to be changed."""
    folder = tmp_path_factory.mktemp("graded")
    results = ResultsFolder(folder / "results", small)
    for student in ("ada", "ben", "cleo"):
        cells = solutions(small) if student != "cleo" else {}
        notebook = write_submission(small, folder / student, SampleSubmission(cells, ""))
        results.put(Grader(small, walls, explain=diagnose_exercises).grade(student, notebook))
    return results.results


@pytest.fixture
def graded(small, verdicts, tmp_path) -> tuple:
    """The three students, and a roster; return the words that name all that."""
    results = shutil.copytree(verdicts, tmp_path / "results")
    roster = tmp_path / "roster.csv"
    roster.write_text("student,section\nada,A\nben,\nben, B \ncleo,B\ndan,C\n")
    return "--results", results, "--course", small.course.root, "--roster", roster


def pages(words) -> list[str]:
    return sorted(path.stem for path in words[1].glob("small-sheet/viva/*.html"))


def test_a_student_and_a_section_get_pages(graded):
    status, said = typed("viva", "ada", *graded)
    assert status == 0 and "small-sheet: ada: " in said and pages(graded) == ["ada"]
    status, said = typed("viva", "--section", "B", *graded)
    assert status == 0 and "cleo: 0 questions" in said and pages(graded) == ["ada", "ben", "cleo"]


def test_a_member_of_a_group_is_asked_about_what_the_group_handed_in(graded, copied, tmp_path):
    (copied.course.root / "groups.csv").write_text("student,group\nmo,cleo\neve,cleo\nben,cleo\n")
    (tmp_path / "roster.csv").write_text("student,section\neve,D\n")
    words = *graded, "--course", copied.course.root
    status, said = typed("viva", "mo", *words)
    assert status == 0 and "small-sheet: cleo, of mo, eve, ben: 0 questions ->" in said
    assert pages(graded) == ["cleo"]
    page = (graded[1] / "small-sheet" / "viva" / "cleo.html").read_text()
    assert "Handed in by a group: mo, eve, ben." in page
    (graded[1] / "small-sheet" / "viva" / "cleo.html").unlink()
    assert typed("viva", "--section", "D", *words)[0] == 0 and pages(graded) == ["cleo"]
    assert typed("viva", "ben", *words)[0] == 0 and pages(graded) == ["ben", "cleo"]
    assert "No student with the id `zoe`" in refused("viva", "zoe", *words)


def test_a_sample_is_drawn_by_hash_and_grows_without_changing(graded):
    students = [f"s{n:03}" for n in range(50)]
    few, more = drawn("sheet", students, 10), drawn("sheet", students, 30)
    assert len(few) == 5 and len(more) == 15 and {*few} < {*more} and few != students[:5]
    assert drawn("sheet", students[::-1], 10) == few != drawn("other", students, 10)
    assert typed("viva", "--sample", "1%", *graded)[0] == 0 and len(pages(graded)) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "say which students"),
        (["ada", "--sample", "10%"], "say which students"),
        (["nobody"], "No student with the id `nobody` has a verdict"),
        (["--section", "C"], "Nobody with a verdict is chosen"),
        (["--sample", "0%"], "Nobody with a verdict is chosen"),
        (["--sample", "many"], "is no share like 10%"),
        (["ada", "--assignment", "none"], "No verdicts of `none`"),
    ],
)
def test_wrong_usage_is_said_in_a_line_and_nothing_is_written(graded, words, sentence):
    assert sentence in refused("viva", *words, *graded) and not pages(graded)


def test_without_walls_nothing_is_run_unless_somebody_agrees(graded, no_walls):
    status, said = typed("viva", "ada", *graded)
    assert status == 3 and not pages(graded), said
    assert "--yes-run-untrusted-code-unprotected" in refused(
        "viva", "ada", "--sandbox", "off", *graded
    )
    assert not pages(graded)
