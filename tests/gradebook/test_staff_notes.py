"""Notes stand beside their cell in formgrader, and in nothing that a student gets."""

from pathlib import Path

import nbformat
import pytest
from feedback_pages import formgrader_page, notebook, verdict
from msgspec.structs import replace
from nbgrader.converters import GenerateFeedback

from autograder.engine.course.assignment import CHECK
from autograder.engine.grade import Grader
from autograder.engine.verdict.verdict import Stamp, Verdict
from autograder.gradebook.staff_notes import NOTES, notes_by_cell, notes_in

WORDS = "was an own one asked for"
LIBRARY = """
class Attention(Attention):
    def forward(self, query, key, value, attention_mask=None, f=F.scaled_dot_product_attention):
        f(query, key, value)
        return super().forward(query, key, value, attention_mask)
"""
STAMP = Stamp(grader="g", submission="s", torch="2", python="3", seed=1, sandbox="namespaces")
VERDICT = Verdict("s001", "sheet", "graded", 0.0, 1.0, [], [], 0.1, STAMP)


def test_a_note_goes_to_the_cell_that_it_names_first():
    notes = ["`b` uses `nn.X` for `a`.", "`b`: something.", "And 3 more of the kind."]
    placed = notes_by_cell(replace(VERDICT, notes=notes), ["a", "b"])
    assert placed == {"b": notes[:2], "a": notes[2:]}
    assert notes_by_cell(replace(VERDICT, notes=notes), []) == {}


def test_a_cell_without_notes_has_none():
    assert notes_in({}) == notes_in({NOTES: "no list"}) == notes_in({NOTES: [1]}) == []


def test_what_a_note_quotes_is_shown_as_text(small):
    page = notebook(small, verdict(notes=["`rms_norm` has `<img src=x onerror=alert(1)>`."]))
    shown = formgrader_page(small, page)
    assert "has <code>&lt;img src=x onerror=alert(1)&gt;</code>." in shown


@pytest.fixture
def graded(assignment, walls, hand_in, solved, record, gradebook):
    """The record of a submission with a note, entered into a gradebook."""
    place = hand_in("s001", attention=f"{solved['attention']}\n{LIBRARY}")
    made = record(Grader(assignment, walls), "s001", place)
    gradebook.enter(assignment, [made])
    return made


@pytest.mark.database
def test_formgrader_shows_notes_beside_their_cell_and_feedback_shows_none(
    graded, gradebook, folder, assignment
):
    (note,) = graded.verdict.notes
    assert WORDS in note and graded.verdict.points == graded.verdict.max_points
    place = Path("s001") / assignment.id / f"{assignment.id}.ipynb"
    shown = formgrader_page(assignment, nbformat.read(folder / "autograded" / place, as_version=4))
    own, after = shown.index('id="attention-comment"'), shown.index(f'id="{CHECK}attention"')
    assert own < shown.index(WORDS) < after
    gradebook.convert(GenerateFeedback, assignment)
    feedback = (folder / "feedback" / place).with_suffix(".html").read_text()
    assert 'id="cell-attention"' in feedback
    assert WORDS not in feedback and "staff" not in feedback and NOTES not in feedback
