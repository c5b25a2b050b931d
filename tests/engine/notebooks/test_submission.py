"""A student's cells find their place, and what had to be repaired is said."""

import base64
import dataclasses
import json
import os
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count

import pytest
from courses import ASSIGNMENTS
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from autograder.engine import Submission, notebooks, placing
from autograder.engine.limits import bounded
from autograder.engine.notebooks import Cell, read_submission, submission

pytestmark = pytest.mark.slow

ANSWER = "Since it scales.\nAnd it centres."
RIGHT = "def softmax(scores):\n    return scores"


@dataclass
class Written:
    """A cell as a student's notebook has it."""

    kind: str
    source: str
    id: str | None = None
    grade_id: str | None = None
    attachments: dict = field(default_factory=dict)

    @property
    def as_json(self) -> dict:
        content = {"cell_type": self.kind, "source": self.source, "attachments": self.attachments}
        content["metadata"] = {"nbgrader": {"grade_id": self.grade_id}} if self.grade_id else {}
        return content | ({"id": self.id} if self.id else {})


@pytest.fixture
def handed_in(small):
    """The release as a submission, cell by cell."""
    return [Written(cell.kind, cell.source, cell.id, cell.id) for cell in small.cells]


def read(small, cells: list[Written]) -> Submission:
    data = json.dumps({"cells": [cell.as_json for cell in cells]}).encode()
    return notebooks.parse_submission(small, "s001", "hw.ipynb", data)


def place(cells, name):
    return next(index for index, cell in enumerate(cells) if cell.id == name)


def change(cells, name, **fields):
    index = place(cells, name)
    cells[index] = dataclasses.replace(cells[index], **fields)


def source(submission, name):
    return next(cell.source for cell in submission.cells if cell.id == name)


def test_the_release_needs_no_repair(small, handed_in):
    submission = read(small, handed_in)
    assert submission.repairs == []
    assert submission.untouched == {exercise.id for exercise in small.exercises}


@pytest.mark.parametrize("left", ["", " \n\n", "YOUR ANSWER HERE", "all but that line", "It is."])
def test_a_written_answer_without_a_line_of_its_own_is_as_released(small, handed_in, left):
    released = next(cell for cell in small.cells if cell.id == "explain")
    if left == "all but that line":
        left = released.source.replace("YOUR ANSWER HERE", "")
    change(handed_in, "explain", source=left)
    expected = left if left == "It is." else released.source
    assert source(read(small, handed_in), "explain") == expected


def test_a_notebook_that_never_ends_to_be_read_is_an_unreadable_one(small, tmp_path, monkeypatch):
    path = tmp_path / f"{small.id}.ipynb"
    path.write_bytes(small.release.read_bytes())
    assert not read_submission(small, "ada", path).unreadable
    monkeypatch.setattr(bounded, "SECONDS", 1)
    monkeypatch.setattr(submission, "repair", lambda *_: sum(count()))
    read = read_submission(small, "ada", path)
    assert read.student == "ada" and read.file_hash
    assert "takes more than 1 s of the processor to be read" in read.unreadable


def test_when_the_machine_ends_the_reading_nothing_is_said_of_the_notebook(
    small, tmp_path, monkeypatch
):
    path = tmp_path / f"{small.id}.ipynb"
    path.write_bytes(small.release.read_bytes())
    monkeypatch.setattr(submission, "repair", lambda *_: os._exit(0))
    with pytest.raises(bounded.NoAnswer):
        read_submission(small, "ada", path)


@pytest.mark.parametrize("line", ["from torch import ", "torch.", "func ", "import optim_"])
def test_which_imports_are_slow_is_found_in_a_time_that_is_linear(line):
    """A hundred times the line whose reading took a minute and more: quadratic would be a week."""
    cell = Cell("own", "code", "#" + line * 1_300_000)
    assert Submission([cell]).needs == set()
    assert Submission([Cell("own", "code", "from torch import func")]).needs


def test_neither_checks_nor_demos_are_run(small, handed_in):
    change(handed_in, "check_softmax", source="raise SystemExit")
    names = {cell.id for cell in read(small, handed_in).runs}
    assert {cell.id for cell in small.cells if cell.check or cell.skipped}.isdisjoint(names)


@pytest.mark.parametrize("lost", [{"id": None}, {"grade_id": None}, {"id": "x1", "grade_id": "x1"}])
def test_a_cell_is_found_without_one_of_its_ids_or_both(small, handed_in, lost):
    change(handed_in, "softmax", source=RIGHT, **lost)
    assert source(read(small, handed_in), "softmax") == RIGHT


@pytest.mark.parametrize("released_copy", ["above", "below", "at the end"])
def test_of_two_cells_with_one_id_the_one_with_an_answer_counts(small, handed_in, released_copy):
    index = place(handed_in, "softmax")
    released = handed_in[index]
    change(handed_in, "softmax", source=RIGHT)
    handed_in.insert(
        {"above": index, "below": index + 1, "at the end": 99}[released_copy], released
    )
    submission = read(small, handed_in)
    assert source(submission, "softmax") == RIGHT
    assert submission.repairs == [
        "The cell `softmax` is there twice: the one with an answer counts."
    ]
    assert all(cell.source != released.source for cell in submission.runs)


def test_of_two_answers_with_one_id_the_last_counts_and_both_run(small, handed_in):
    first = RIGHT + "[0]"
    change(handed_in, "softmax", source=first)
    index = place(handed_in, "softmax")
    handed_in.insert(index + 1, dataclasses.replace(handed_in[index], source=RIGHT))
    submission = read(small, handed_in)
    assert source(submission, "softmax") == RIGHT
    assert submission.repairs == ["The cell `softmax` is there twice: the last one counts."]
    assert any(cell.source == first for cell in submission.runs)


def test_a_missing_cell_is_said_to_be_missing(small, handed_in):
    del handed_in[place(handed_in, "softmax")]
    submission = read(small, handed_in)
    assert submission.repairs == ["The cell `softmax` is missing from the notebook."]
    assert "softmax" in submission.untouched


def test_own_cells_run_behind_the_cell_that_they_follow(small, handed_in):
    handed_in.insert(place(handed_in, "softmax"), Written("code", "import string"))
    cells = read(small, handed_in).runs
    index = [cell.source for cell in cells].index("import string")
    assert cells[index + 1].id == "softmax"


def test_provided_cells_run_as_released_and_then_as_changed(small, handed_in):
    change(handed_in, "imports", source="import string")
    cells = read(small, handed_in).runs
    assert [cell.source for cell in cells[:2]] == [
        next(cell.source for cell in small.cells if cell.id == "imports"),
        "import string",
    ]


def test_a_check_cell_says_what_the_release_says(small, handed_in):
    change(handed_in, "check_softmax", source="1.0")
    pristine = next(cell for cell in small.cells if cell.id == "check_softmax")
    assert source(read(small, handed_in), "check_softmax") == pristine.source != "1.0"


@pytest.mark.parametrize(("kind", "words"), [("markdown", "a text cell"), ("raw", "a raw cell")])
def test_code_whose_cell_became_text_is_code_again(small, handed_in, kind, words):
    change(handed_in, "softmax", kind=kind, source=RIGHT)
    submission = read(small, handed_in)
    (cell,) = (cell for cell in submission.runs if cell.id == "softmax")
    assert (cell.kind, cell.source) == ("code", RIGHT)
    assert submission.repairs == [
        f"The cell `softmax` had become {words}: it is read as a code cell again."
    ]


def test_a_text_whose_cell_became_code_is_text_again(small, handed_in):
    change(handed_in, "explain", kind="code", source=ANSWER)
    submission = read(small, handed_in)
    (cell,) = (cell for cell in submission.cells if cell.id == "explain")
    assert (cell.kind, cell.source) == ("markdown", ANSWER)
    assert "had become a code cell: it is read as a text cell again" in submission.repairs[0]


@pytest.mark.parametrize("kind", ["markdown", "raw", "code"])
def test_a_written_answer_that_was_deleted_and_typed_again_is_the_answer(small, handed_in, kind):
    index = place(handed_in, "explain")
    handed_in[index] = Written(kind, ANSWER, "x1")
    submission = read(small, handed_in)
    assert source(submission, "explain") == ANSWER and submission.unclaimed == []
    assert submission.repairs == ["The cell `explain` is missing: the text in its place counts."]


@pytest.mark.parametrize("second", [{}, {"id": "x1"}, {"id": "x1", "grade_id": None}])
def test_both_parts_of_a_split_answer_are_the_answer(small, handed_in, second):
    change(handed_in, "explain", source=ANSWER)
    index = place(handed_in, "explain")
    other = dataclasses.replace(handed_in[index], source="And so on.", **second)
    handed_in.insert(index + 1, other)
    submission = read(small, handed_in)
    assert source(submission, "explain") == f"{ANSWER}\n\nAnd so on."
    assert len(submission.repairs) == 1 and submission.unclaimed == []


def test_a_copy_of_a_written_answer_is_no_part_of_it(small, handed_in):
    change(handed_in, "explain", source=f"{ANSWER}\nFirst.")
    index = place(handed_in, "explain")
    handed_in.insert(index + 1, dataclasses.replace(handed_in[index], source=f"{ANSWER}\nLast."))
    submission = read(small, handed_in)
    assert source(submission, "explain").startswith(f"{ANSWER}\nLast.")
    assert submission.repairs[0] == "The cell `explain` is there twice: the last one counts."


def test_an_answer_that_was_merged_with_the_text_above_it_is_found(small, handed_in):
    index = place(handed_in, "explain")
    merged = f"{handed_in[index - 1].source}\n\n{ANSWER}"
    change(handed_in, handed_in[index - 1].id, source=merged)
    del handed_in[index]
    submission = read(small, handed_in)
    assert source(submission, "explain") == merged
    assert submission.repairs == ["The cell `explain` is missing: the changed text near it counts."]


@pytest.mark.parametrize(
    "text",
    ["# It scales, and more.", '"""It scales."""', "print('It scales.')", "%%latex\nIt scales."],
)
def test_a_written_answer_in_code_that_does_nothing_is_the_answer(small, handed_in, text):
    handed_in[place(handed_in, "explain")] = Written("code", text, "x1")
    assert source(read(small, handed_in), "explain") == text


def test_what_no_exercise_claims_is_said_to_staff(small, handed_in):
    goal = next(cell for cell in handed_in if cell.id == "softmax_goal")
    change(handed_in, "softmax_goal", source=f"{goal.source}\n\nSee my notes.")
    handed_in[:0] = [Written("markdown", "My plan.")]
    change(handed_in, "check_softmax", source="softmax = 3")
    change(handed_in, "softmax", source=RIGHT)
    handed_in.append(Written("code", RIGHT))
    submission = read(small, handed_in)
    assert submission.repairs == []
    assert submission.unclaimed == [
        "No exercise claims the text of `your-cell-1`.",
        f"`your-cell-{len(handed_in)}` defines what `softmax` does.",
        "`check_softmax` was changed: it ran as released, not with what was written in it.",
        "The text of `softmax_goal` was changed.",
    ]


def test_comments_alone_are_no_attempt(small, handed_in):
    change(handed_in, "softmax", source="# later\n\n# really")
    assert "softmax" in read(small, handed_in).untouched


def test_another_notebook_is_recognised(small):
    other = [Written("code", "class Decoder: pass", "a", None)] * 5
    assert "another assignment" in read(small, other).unreadable


@pytest.mark.parametrize("one", ASSIGNMENTS, ids=lambda one: one.id)
@pytest.mark.parametrize("other", ASSIGNMENTS, ids=lambda one: one.id)
def test_the_notebook_of_one_assignment_is_unreadable_for_another(one, other):
    """Also where both have cells of one name, as all practicals have; so it is never a zero."""
    submission = read_submission(one, "ada", other.source)
    assert bool(submission.unreadable) is (one != other)
    assert one == other or f"No answer of `{one.id}` is in this notebook" in submission.unreadable


def test_a_notebook_that_lost_all_ids_is_known_by_what_it_says_and_defines(small, handed_in):
    change(handed_in, "softmax", source=RIGHT)
    change(handed_in, "prediction", source="prediction = 3")
    change(handed_in, "explain", source=ANSWER)
    bare = [dataclasses.replace(cell, id=None, grade_id=None) for cell in handed_in]
    submission = read(small, bare)
    assert submission.repairs == [
        "The cell `rms_norm` had lost its id and was found by what it says.",
        "The cell `softmax` had lost its id and was found by what it defines.",
        "The cell `prediction` had lost its id and was found by its place.",
        "The cell `explain` is missing: the text in its place counts.",
    ]
    assert submission.untouched == {"rms_norm"} and submission.unclaimed == []
    assert source(submission, "explain") == ANSWER


text = st.text(st.sampled_from('ab\0"\n\ud800😀'), max_size=3)
cells = st.lists(st.builds(Cell, text, st.sampled_from(["code", "markdown"]), text), max_size=3)
submissions = st.builds(
    Submission,
    cells,
    st.just("ada"),
    st.frozensets(text, max_size=2).map(set),
    st.lists(text, max_size=2),
    st.sampled_from(["", "", "damaged"]),
    text,
)


def written(submission):
    """All that a student wrote, and what of it had to be repaired."""
    if submission.unreadable:
        return submission.unreadable, submission.file_hash
    return [(cell.id, cell.kind, cell.source) for cell in submission.cells], submission.repairs


@given(submissions, submissions)
@example(  # a boundary between two cells is moved into a text
    Submission([Cell("a", "code", "1\0b\0False\0002")]),
    Submission([Cell("a", "code", "1"), Cell("b", "code", "2")]),
)
@example(Submission([], repairs=["a", "b"]), Submission([], repairs=["a\0b"]))
@example(Submission([Cell("a", "code", "")]), Submission([], repairs=["a", "code", ""]))
@example(Submission([Cell("a", "code", "")]), Submission([Cell("a", "markdown", "")]))
@example(Submission([]), Submission([], unreadable="damaged", file_hash=Submission([]).hash))
def test_submissions_share_a_hash_only_if_they_are_the_same(one, other):
    assert (one.hash == other.hash) == (written(one) == written(other))


def png(grey):
    target = BytesIO()
    Image.new("L", (2, 2), grey).save(target, "PNG")
    return {"drawn.png": {"image/png": base64.b64encode(target.getvalue()).decode()}}


def test_a_picture_changes_the_hash(small, handed_in):
    submissions = []
    for grey in (1, 2):
        change(handed_in, "explain", source="![x](attachment:drawn.png)", attachments=png(grey))
        submissions.append(read(small, handed_in))
    one, other = submissions
    assert one.hash != other.hash
    assert one.repairs == []


def test_texts_are_bounded_together(small, handed_in):
    long = Written("raw", "x" * 29_000)
    assert read(small, [*[long] * 9, *handed_in]).repairs == []
    said = read(small, [*[long] * 11, *handed_in]).unreadable
    assert said.endswith("300,000 characters of text; write less.")


@pytest.mark.parametrize(
    "text", ["-" * 100_000 + "1", "a" + ".b" * 90_000, "[" * 100_000, "1" + "+1" * 90_000]
)
def test_a_text_that_no_parser_takes_is_a_cell_like_any_other(small, handed_in, text):
    bare = [dataclasses.replace(cell, id=None, grade_id=None) for cell in handed_in]
    submission = read(small, [Written("code", text), *bare])
    assert submission.runs[0].source == text


def test_only_so_much_of_a_code_cell_is_parsed_to_tell_whether_it_is_a_text(small, handed_in):
    for text in ("no code\n", "no code\n" * 3_000):
        cell = Written("code", text)
        unclaimed = read(small, [cell, *handed_in]).unclaimed
        assert len(unclaimed) == (len(text) < placing.LONGEST_PROSE)
