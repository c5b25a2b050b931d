"""The assignment's notebook is found among what somebody handed in."""

import shutil

import pytest
from courses import OURS
from downloads import BOOK, DAMAGED, ID, MOODLE, others, ours, standing, zipped
from recorded import everything_received

from autograder._commands.main import main
from autograder.classroom.roster import read_roster
from autograder.platforms.collect import contents

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({"hw.ipynb": ours()}, ours()),
        ({BOOK: DAMAGED}, DAMAGED),
        ({BOOK: b""}, b""),
        ({BOOK: ours(1), "notes.ipynb": ours(2)}, ours(1)),
        ({BOOK.upper(): ours(1), "notes.ipynb": ours(2)}, ours(1)),
        ({f"{ID} (1).ipynb": ours(1), "notes.ipynb": ours(2)}, ours(1)),
        ({BOOK: others(), "mine.ipynb": ours(2)}, ours(2)),
        ({"a.ipynb": others(), "b.ipynb": ours(2)}, ours(2)),
        ({"a.ipynb": DAMAGED, "b.ipynb": ours(2)}, ours(2)),
        ({"a.ipynb": ours(1), "b.ipynb": ours(1)}, ours(1)),
        ({"hw.zip": zipped({"my work/hw.ipynb": ours(3)})}, ours(3)),
        ({"HW.ZIP": zipped({f"__MACOSX/._{BOOK}": b"", BOOK: ours(3)})}, ours(3)),
        ({"old.ipynb": others(), "hw.zip": zipped({BOOK: ours(3)})}, ours(3)),
    ],
)
def test_the_assignments_notebook_is_found_among_what_was_handed_in(collect, into, files, taken):
    status, said = collect({f"{MOODLE}/{name}": data for name, data in files.items()})
    assert status == 0, said
    assert standing(into) == {"ada-softmax-1234567": taken}
    assert {*files.values()} - {b""} <= everything_received(into), "all is kept"


def test_a_notebook_of_another_assignment_is_named_and_can_be_sent_there(tmp_path, capfd):
    """Whatever it is called, and whether or not both have cells of the same names."""
    meant, other = OURS[:2]
    into, table = tmp_path / "submitted", tmp_path / f"unmatched-{meant.id}.csv"
    (tmp_path / "class" / "ada").mkdir(parents=True)
    shutil.copy(other.source, tmp_path / "class" / "ada" / f"{meant.id}.ipynb")
    words = ["--into", str(into), "--course", str(meant.course.root), "--assignment", meant.id]
    assert main(["collect", str(tmp_path / "class"), *words]) == 3
    said = " ".join("".join(capfd.readouterr()).split())
    assert f"`{meant.id}.ipynb` is the notebook of `{other.id}`" in said
    choices = tmp_path / "choices.csv"
    text = table.read_text()
    for student, status in (("ada", 3), ("no-sheet/ada", 3), (f"{other.id}/ada", 0)):
        choices.write_text(text.rstrip() + student + "\n")
        assert main(["collect", "--resolve", str(choices), *words]) == status
    assert not (into / "ada" / meant.id).exists() and not table.exists()
    placed = into / "ada" / other.id / f"{other.id}.ipynb"
    assert placed.read_bytes() == other.source.read_bytes()
    assert set(read_roster(into, other.id)) == {"ada"} and read_roster(into, meant.id) == {}


def test_of_two_uploads_the_later_one_is_taken(collect, into):
    files = {f"softmaxada_5_{n}_{ID}-{n}.ipynb": ours(n) for n in (90, 100)}
    assert collect(files)[0] == 0
    assert standing(into) == {"softmaxada-5": ours(100)}


def test_notebooks_in_all_zips_of_one_student_have_one_cap(collect, into, monkeypatch):
    """The second would make the choice unclear, if it were read."""
    monkeypatch.setattr(contents, "MAX_BYTES", 8_000)
    first, second = (zipped({BOOK: ours(mark, pad="x" * 5_000)}) for mark in (1, 2))
    assert collect({f"{MOODLE}/a.zip": first, f"{MOODLE}/b.zip": second})[0] == 0
    assert standing(into) == {"ada-softmax-1234567": ours(1, pad="x" * 5_000)}
