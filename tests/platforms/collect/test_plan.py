"""Whose is what: ids that nobody shares, and a roster that names the course's own."""

import pytest
from downloads import BOOK, ID, METADATA, MOODLE, on_disk, ours, standing

from autograder.classroom.roster import read_roster
from autograder.platforms.collect import receive

pytestmark = pytest.mark.usefixtures("read_without_fork")


def test_two_people_do_not_share_a_folder_that_was_there_before(collect, into):
    (into / "0042" / ID).mkdir(parents=True)
    metadata = METADATA.replace(":name: Cleo Head", ":name: Cleo Head\n    :sid: '0042'")
    files = {f"e/submission_{n}/{BOOK}": ours(n) for n in (456, 457)}
    collect({"e/submission_metadata.yml": metadata.encode()} | files)
    assert standing(into) == {"ben@uni.example": ours(456)}


def test_a_roster_that_is_not_there_is_said_in_one_line(collect, tmp_path):
    status, said = collect({f"ada/{BOOK}": ours()}, words=["--roster", str(tmp_path / "no.csv")])
    assert status == 2 and said.count("\n") == 1 and "There is no file" in said


def test_collecting_from_where_it_went_changes_nothing_and_forgets_nobody(collect, into):
    collect({f"{MOODLE}/{BOOK}": ours()})
    known = read_roster(into, ID)["ada-softmax-1234567"]
    assert (known.name, known.number) == ("Ada Softmax", "1234567")
    before = on_disk(into)
    status, said = collect(into)
    assert status == 0 and "1 unchanged" in said and on_disk(into) == before
    assert read_roster(into, ID)["ada-softmax-1234567"] == known


@pytest.mark.parametrize(
    "error", [RecursionError(), MemoryError(), UnicodeDecodeError("a", b"", 0, 1, "b")]
)
def test_what_one_submission_raises_is_said_of_it_and_the_others_are_placed(
    collect, into, monkeypatch, error
):
    def choose(contents, *more):
        if "ben" in contents[0].file.path:
            raise error
        return really_choose(contents, *more)

    really_choose = receive.choose_notebook
    monkeypatch.setattr(receive, "choose_notebook", choose)
    status, said = collect({f"{name}/{BOOK}": ours() for name in ("ada", "ben", "cleo")})
    assert status == 3 and f"`ben`: {type(error).__name__}" in said
    assert set(standing(into)) == {"ada", "cleo"}
