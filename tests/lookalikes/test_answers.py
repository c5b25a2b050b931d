"""What a student wrote: solution cells that differ from the release, and code in own cells."""

import pytest

from autograder.engine.notebook import SubmittedCell
from autograder.engine.submission import Submission, repair
from autograder.lookalikes.answers import Answer, Reader


@pytest.fixture(scope="module")
def reader(small) -> Reader:
    return Reader(small)


def handed_in(small, student="s001", behind="", **cells) -> Submission:
    """The release with these cells changed, and a code cell of the student's own behind one."""
    found = []
    for cell in small.cells:
        found.append(SubmittedCell(cell.kind, cells.get(cell.id, cell.source), cell.id, cell.id))
        if cell.id == behind:
            found.append(SubmittedCell("code", "helper = 3", None, None))
    submission = repair(small, found)
    return Submission(submission.cells, student)


def test_who_changes_nothing_wrote_nothing(reader, small):
    assert reader.written(handed_in(small)).answers == {}
    emptied = {cell.id: "  \n" for cell in small.cells if cell.solution}
    assert reader.written(handed_in(small, **emptied)).answers == {}


def test_code_and_texts_are_answers_of_their_exercises(reader, small):
    wrote = reader.written(handed_in(small, softmax="def softmax(x): pass", explain="Because."))
    assert wrote.answers == {
        "softmax": Answer(True, "def softmax(x): pass"),
        "explain": Answer(False, "Because."),
    }


def test_an_own_cell_belongs_to_the_exercise_before_it(reader, small):
    wrote = reader.written(handed_in(small, behind="softmax", softmax="x = 1"))
    assert wrote.answers == {"softmax": Answer(True, "x = 1\n\nhelper = 3")}
    assert reader.written(handed_in(small, behind="softmax")).answers == {}


def test_the_same_has_the_same_hash_and_other_things_another(reader, small):
    one, two, other = (
        reader.written(handed_in(small, student, softmax=cell))
        for student, cell in (("a", "x = 1"), ("b", "x = 1"), ("c", "x = 1 # own"))
    )
    assert one.hash == two.hash != other.hash


def test_what_the_release_says_has_no_fingerprint(reader, small):
    for cell in small.cells:
        if cell.kind == "code" or cell.source:
            features = reader.features(Answer(cell.kind == "code", cell.source))
            assert not features.prints and not features.odd, cell.id
    long = "import torch\n" + "def own(q):\n    return torch.sigmoid(q * 3.5 + 17) @ q.mT.relu()\n"
    features = reader.features(Answer(True, long))
    assert features.prints and {("name", "own"), ("number", "3.5")} <= features.odd


def test_texts_are_compared_by_words(reader):
    one = "It keeps the *mean* at zero, and so no feature is much larger than any other of them."
    two = one.replace("*mean*", "MEAN\n").replace(",", "")
    assert reader.features(Answer(False, one)) == reader.features(Answer(False, two))
