"""The page on questions on one's own code, followed from its first command to its last."""

import pytest
from downloads import ID as SHEET
from recorded import plant_people
from typed_commands import blocks, type_in

from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.classroom.roster import Person
from autograder.engine import ResultsFolder
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises


@pytest.mark.walls
@pytest.mark.long
def test_a_tutor_gets_the_pages_of_a_section_and_of_a_sample(copied, walls, tmp_path):
    root, students = copied.course.root, ("ada", "ben")
    results = ResultsFolder(root / "results", copied)
    for student in students:
        submission = SampleSubmission(solutions(copied), "")
        notebook = write_submission(copied, tmp_path / student, submission)
        results.put(Grader(copied, walls, explain=diagnose_exercises).grade(student, notebook))
    plant_people(
        root / "submitted",
        SHEET,
        [Person("ada", section="Tuesday"), Person("ben", section="Friday")],
    )
    first, commands = blocks("viva.md")
    assert first.startswith("sheet=")
    section, sample = commands.splitlines()
    assert "ada: " in type_in(root, section, f"sheet={SHEET}\n")
    assert [path.stem for path in results.folder.glob("viva/*")] == ["ada"]
    said = type_in(root, sample, f"sheet={SHEET}\n")
    assert said.count("questions -> ") == 1
