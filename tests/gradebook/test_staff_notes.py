"""Notes stand with the checks of their exercise in formgrader, and in nothing that a student gets."""

from pathlib import Path

import nbformat
import pytest
from feedback_pages import formgrader_page, notebook, verdict
from nbgrader.converters import GenerateFeedback

from autograder.engine.courses import CHECK
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

WORDS = "was an own one asked for"
LIBRARY = """
class Attention(Attention):
    def forward(self, query, key, value, attention_mask=None, f=F.scaled_dot_product_attention):
        f(query, key, value)
        return super().forward(query, key, value, attention_mask)
"""


def test_what_a_note_quotes_is_shown_as_text(small):
    page = notebook(small, verdict(notes=["`rms_norm` has `<img src=x onerror=alert(1)>`."]))
    shown = formgrader_page(small, page)
    assert "has <code>&lt;img src=x onerror=alert(1)&gt;</code>." in shown


def test_a_note_on_all_of_it_stands_above_the_cells_and_no_student_sees_it(small):
    page = notebook(small, verdict(notes=["The code takes too much memory to be looked through."]))
    shown = formgrader_page(small, page)
    assert shown.count("to be looked through") == 1
    assert shown.index("to be looked through") < shown.index('class="cell ')
    assert "looked through" not in str(page.cells)


@pytest.fixture
def graded(assignment, walls, hand_in, solved, record, gradebook):
    """The record of a submission with a note, entered into a gradebook."""
    place = hand_in("s001", attention=f"{solved['attention']}\n{LIBRARY}")
    made = record(Grader(assignment, walls, explain=diagnose_exercises), "s001", place)
    gradebook.enter(assignment, [made])
    return made


@pytest.mark.database
def test_formgrader_shows_notes_with_their_exercise_and_feedback_shows_none(
    graded, gradebook, folder, assignment
):
    (note,) = graded.verdict.notes
    assert WORDS in note and graded.verdict.points == graded.verdict.max_points
    place = Path("s001") / assignment.id / f"{assignment.id}.ipynb"
    shown = formgrader_page(assignment, nbformat.read(folder / "autograded" / place, as_version=4))
    places = [
        f'id="{CHECK}attention"',
        "For staff only",
        WORDS,
        f'id="{CHECK}multi_head_attention"',
    ]
    found = [shown.index(place) for place in places]
    assert found == sorted(found) and shown.count(WORDS) == 1
    gradebook.convert(GenerateFeedback, assignment)
    feedback = (folder / "feedback" / place).with_suffix(".html").read_text()
    assert 'id="cell-attention"' in feedback
    assert WORDS not in feedback and "staff" not in feedback
