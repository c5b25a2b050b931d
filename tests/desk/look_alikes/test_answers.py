"""What a student wrote: solution cells that differ from the release, and code in own cells."""

import pytest

from autograder.desk.look_alikes.answers import Reader, Writer
from autograder.engine import Submission
from autograder.engine.notebooks.reader import SubmittedCell
from autograder.engine.notebooks.submission import repair


@pytest.fixture(scope="module")
def reader(small) -> Reader:
    return Reader(small)


def handed_in(small, student="s001", behind="", own="helper = 3", **cells) -> Submission:
    """The release with these cells changed, and a code cell of the student's own behind one."""
    found = []
    for cell in small.cells:
        found.append(SubmittedCell(cell.kind, cells.get(cell.id, cell.source), cell.id, cell.id))
        if cell.id == behind:
            found.append(SubmittedCell("code", own, None, None))
    submission = repair(small, found)
    return Submission(submission.cells, student)


def texts(wrote: Writer) -> dict[str, str]:
    return {name: answer.text for name, answer in wrote.answers.items()}


def test_who_changes_nothing_wrote_nothing(reader, small):
    assert reader.written(handed_in(small)).answers == {}
    emptied = {cell.id: "  \n" for cell in small.cells if cell.solution}
    assert reader.written(handed_in(small, **emptied)).answers == {}


def test_code_and_texts_are_answers_of_their_exercises(reader, small):
    wrote = reader.written(handed_in(small, softmax="def softmax(x): pass", explain="Because."))
    assert texts(wrote) == {"softmax": "def softmax(x): pass", "explain": "Because."}
    assert wrote.answers["softmax"].is_code and not wrote.answers["explain"].is_code


def test_an_own_cell_belongs_to_the_exercise_before_it(reader, small):
    wrote = reader.written(handed_in(small, behind="softmax", softmax="x = 1"))
    assert texts(wrote) == {"softmax": "x = 1\n\nhelper = 3"}
    assert reader.written(handed_in(small, behind="softmax")).answers == {}


SOFTMAX = "def softmax(x):\n    return helped(x)"
HELPED = "def helped(x):\n    return x.exp() / 2"
NORM = "class RMSNorm(nn.Module):\n    pass"


@pytest.mark.parametrize("behind", ["softmax", "rms_norm", "explain"])
def test_what_answers_an_exercise_is_its_answer_in_whatever_cell_it_is(behind, reader, small):
    """The solution cells are as they were released."""
    wrote = reader.written(handed_in(small, behind=behind, own=f"{HELPED}\n\n{SOFTMAX}"))
    assert texts(wrote) == {"softmax": f"{HELPED}\n{SOFTMAX}"}


def test_a_cell_that_answers_several_exercises_is_divided(reader, small):
    own = f"import torch\n{SOFTMAX}\nprint(1)\n{NORM}\n# end\n{HELPED}\n"
    wrote = reader.written(handed_in(small, behind="explain", own=own))
    assert texts(wrote) == {
        "softmax": f"{SOFTMAX}\n{HELPED}",
        "rms_norm": NORM,
    }
    both = f"{NORM}\n{SOFTMAX}"
    one = reader.written(handed_in(small, softmax=both))
    assert texts(one) == {"rms_norm": NORM, "softmax": both}


def test_a_line_of_many_statements_is_an_answer_once(reader, small):
    own = "softmax = 0;" + "softmax = softmax;" * 500
    wrote = reader.written(handed_in(small, behind="softmax", own=own))
    assert texts(wrote) == {"softmax": own}


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_lines_end_where_python_sees_it(line_end, reader, small):
    own = f"{NORM}\nseparated = '\x0c \x1c \u2028'\n{SOFTMAX}".replace("\n", line_end)
    wrote = reader.written(handed_in(small, own=own, behind="explain"))
    assert wrote.answers["softmax"].text == SOFTMAX


def test_a_changed_cell_of_the_statement_is_an_answer_as_far_as_it_answers(reader, small):
    provided = next(
        c for c in small.cells if c.kind == "code" and not (c.solution or c.check or c.skipped)
    )
    changed = {provided.id: f"{provided.source}\nmine = 1\n{SOFTMAX}"}
    wrote = reader.written(handed_in(small, **changed))
    assert texts(wrote) == {"softmax": SOFTMAX}
    assert reader.written(handed_in(small, **{provided.id: "mine = 1"})).answers == {}


UNREAD = {"no Python": "def softmax(:", "too long": f"{SOFTMAX}\n" + "x = 1\n" * 20_000}


@pytest.mark.parametrize("own", UNREAD.values(), ids=UNREAD)
def test_an_own_cell_that_is_not_read_stands_behind_an_answer(own, reader, small):
    wrote = reader.written(handed_in(small, behind="softmax", own=own, softmax=SOFTMAX))
    assert texts(wrote) == {"softmax": f"{SOFTMAX}\n\n{own}"}
    assert reader.written(handed_in(small, behind="softmax", own=own)).answers == {}


def test_what_the_release_says_has_no_fingerprint(reader, small):
    for cell in small.cells:
        if cell.kind == "code" or cell.source:
            assert not reader.answer(cell.kind == "code", cell.source).prints, cell.id
    own = "import torch\ndef own(q):\n    return torch.sigmoid(q * 3.5 + 17) @ q.mT.relu()\n"
    assert reader.answer(True, own).prints


def test_texts_are_compared_by_words(reader):
    one = "It keeps the *mean* at zero, and so no feature is much larger than any other of them."
    two = one.replace("*mean*", "MEAN\n").replace(",", "")
    assert reader.answer(False, one).prints == reader.answer(False, two).prints


@pytest.mark.parametrize("behind", ["imports", "encoder_layer"])
def test_code_in_a_cell_that_is_too_long_to_parse_is_an_answer(behind, assignment, solved):
    reader = Reader(assignment, [solved])
    source = solved["attention"].replace("class Attention", "class Mine")
    own = f"{source}\n#{'x' * 60_000}"
    wrote = reader.written(handed_in(assignment, behind=behind, own=own))
    assert wrote.answers.keys() == {"attention"}
    known = reader.answer(True, source).prints
    assert len(wrote.answers["attention"].prints & known) >= 0.9 * len(known)
