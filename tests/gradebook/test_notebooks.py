"""What formgrader and feedback show: the student's outputs, checks, points, and nothing hidden."""

import base64
import json
import re
from io import BytesIO

import pytest
from nbgrader.converters import GenerateFeedback
from PIL import Image
from submissions import SHORT, edit, exercise

from autograder.engine.courses import CHECK
from autograder.engine.grading import Grader
from autograder.gradebook.sync.notebooks import STAMP, shown_in
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = [pytest.mark.walls, pytest.mark.database]


def test_what_a_student_showed_is_kept_and_what_a_browser_would_run_is_not(
    gradebook, assignment, records, autograded
):
    first, last = assignment.exercises[0].id, assignment.exercises[-1].id
    gradebook.enter(assignment, records)
    text, picture = autograded("s001")[last].outputs
    assert text.text == "my words\n"
    assert base64.b64decode(picture.data["image/png"]).startswith(b"\x89PNG")
    shown = autograded("s003")[first].outputs
    assert [set(output.data) for output in shown] == [{"text/plain"}]


def test_a_graded_notebook_says_whose_verdict_it_shows_however_it_is_written(
    gradebook, folder, assignment, records, tmp_path, monkeypatch
):
    gradebook.enter(assignment, records)
    stamp, id = records[0].verdict.stamp, assignment.id
    notebook = folder / "autograded" / "s001" / id / f"{id}.ipynb"
    with monkeypatch.context() as patched:
        patched.setattr("autograder.engine.files.read_named", pytest.fail)  # its end is enough
        assert shown_in(notebook) == (stamp, "")
    content = json.loads(notebook.read_text())
    other = dict(content["metadata"][STAMP], seed=stamp.seed + 1)
    faked = json.dumps({"metadata": {STAMP: other, "autograder_verdict": {}}}, indent=1)
    content["cells"].append({"cell_type": "raw", "metadata": {}, "source": faked})
    for number, style in enumerate(({"sort_keys": True}, {"indent": 1}, {"indent": None})):
        copy = tmp_path / f"{number}.ipynb"
        copy.write_text(json.dumps(content, **style))
        assert shown_in(copy) == (stamp, "")
    copy.write_text(json.dumps({"cells": content["cells"], "metadata": {}}, indent=1))
    with pytest.raises(ValueError, match=STAMP):
        shown_in(copy)


def test_a_check_cell_shows_checks_points_and_questions(
    gradebook, assignment, records, unscaled, question, autograded
):
    gradebook.enter(assignment, records)
    result = exercise(records[1].verdict, unscaled.exercise)
    table, points = autograded("s002")[CHECK + unscaled.exercise].outputs
    assert points.data == {"text/plain": repr(result.points)}
    passed = next(check for check in result.checks if check.passed)
    assert passed.sentence in table.data["text/plain"]
    assert question in table.data["text/plain"]
    assert question in table.data["text/html"]


def test_feedback_is_a_page_without_hidden_tests(gradebook, folder, assignment, records, question):
    gradebook.enter(assignment, records)
    gradebook.convert(GenerateFeedback, assignment)
    page = (folder / "feedback" / "s002" / assignment.id / f"{assignment.id}.html").read_text()
    words = re.sub(r"<style>.*?</style>|<[^>]+>", "", page, flags=re.DOTALL)
    assert question in words
    for hidden in (
        "autograder.graders",
        "def test_values",
        "mark.points",
        "BEGIN SOLUTION",
        "scheme",
    ):
        assert hidden not in words


def test_pictures_of_a_written_answer_are_in_the_feedback(
    gradebook, folder, assignment, hand_in, walls, record, autograded
):
    """Also when others could not be kept, or are not there at all."""
    explained = next(cell.id for cell in assignment.cells if cell.solution and cell.kind != "code")
    drawn = Image.linear_gradient("L").resize((20, 30))
    sheet, photo = BytesIO(), BytesIO()
    drawn.save(sheet, "PNG")
    drawn.save(photo, "JPEG", comment=b"at home")
    files = {
        "sheet.png": {"image/png": base64.b64encode(sheet.getvalue()).decode()},
        "my photo.jpg": {"image/jpeg": base64.b64encode(photo.getvalue()).decode()},
        "torn.png": {"image/png": "AAAA"},
    }

    def answer(content):
        (cell,) = (cell for cell in content["cells"] if cell["id"] == explained)
        names = ("sheet.png", "my%20photo.jpg", "torn.png", "none.png")
        cell["source"] = " ".join(f"![drawn](attachment:{name})" for name in names)
        cell["attachments"] = files

    graded = record(
        Grader(assignment, walls, SHORT, seed=5, explain=diagnose_exercises),
        "s001",
        edit(hand_in("s001"), answer),
    )
    assert "could not be kept: `torn.png`" in graded.verdict.repairs[0]
    gradebook.enter(assignment, [graded])
    gradebook.convert(GenerateFeedback, assignment)
    page = next((folder / "feedback" / "s001").rglob("*.html")).read_text()
    attachments = autograded("s001")[explained].attachments
    assert set(attachments) == {"sheet.png", "picture-2"}
    for file in attachments.values():
        ((mime, encoded),) = file.items()
        assert f"data:{mime};base64,{encoded}" in page
        assert b"at home" not in base64.b64decode(encoded)
    assert page.count("could not be kept: it is") == 2


@pytest.mark.long
def test_what_was_repaired_is_shown(
    gradebook, folder, assignment, hand_in, walls, record, autograded
):
    lost, missing, *_ = (one.id for one in assignment.exercises)

    def damage(content):
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != missing]
        (cell,) = (cell for cell in content["cells"] if cell["id"] == lost)
        cell.update(id="another", metadata={})

    grader = Grader(assignment, walls, SHORT, seed=5, explain=diagnose_exercises)
    damaged = record(grader, "s001", edit(hand_in("s001"), damage))
    assert len(damaged.verdict.repairs) == 2
    gradebook.enter(assignment, [damaged])
    cells = autograded("s001")
    for name, words in ((lost, "had lost its id"), (missing, "is missing from the notebook")):
        for kind in ("text/plain", "text/html"):
            page = cells[CHECK + name].outputs[0].data[kind]
            assert words in page and page.count("The cell ") == 1
    gradebook.convert(GenerateFeedback, assignment)
    page = folder / "feedback" / "s001" / assignment.id / f"{assignment.id}.html"
    words = re.sub(r"<[^>]+>", "", page.read_text())
    assert f"The cell {missing} is missing from the notebook." in words
