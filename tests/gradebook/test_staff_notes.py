"""Notes stand with the checks of their exercise in formgrader, and in nothing that a student gets."""

from feedback_pages import feedback_page, formgrader_page, notebook, verdict

from autograder.engine.courses import CHECK


def test_a_note_stands_as_text_with_its_exercise_in_formgrader_and_in_no_feedback(small):
    graded = notebook(small, verdict(notes=["`softmax` has `<img src=x onerror=alert(1)>`."]))
    shown = formgrader_page(small, graded)
    words = "has <code>&lt;img src=x onerror=alert(1)&gt;</code>."
    places = [f'id="{CHECK}softmax"', "For staff only", words, f'id="{CHECK}prediction"']
    positions = [shown.index(place) for place in places]
    assert positions == sorted(positions) and shown.count(words) == 1
    feedback = feedback_page(small, graded)
    assert 'id="cell-softmax"' in feedback
    assert "onerror" not in feedback and "staff" not in feedback


def test_a_note_on_all_of_it_stands_above_the_cells_and_no_student_sees_it(small):
    page = notebook(small, verdict(notes=["The code takes too much memory to be looked through."]))
    shown = formgrader_page(small, page)
    assert shown.count("to be looked through") == 1
    assert shown.index("to be looked through") < shown.index('class="cell ')
    assert "looked through" not in str(page.cells) + feedback_page(small, page)
