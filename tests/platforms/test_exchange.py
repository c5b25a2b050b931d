"""nbgrader's own layouts: whose files they are, for which assignment, and from when."""

import pwd
from dataclasses import replace
from types import SimpleNamespace

import pytest
from downloads import BOOK, ID, others, ours, receipts, standing, timestamp

from autograder.engine.files import reading as files


def test_of_the_exchange_only_this_assignment_is_taken_and_the_newest_counts(collect, into):
    early, late = "2026-11-20 15:00:00.5 UTC", "2026-11-20 16:00:00.5 UTC"
    status, _ = collect(
        {
            f"inbound/ada+{ID}+{late}+x/{BOOK}": ours("late"),
            f"inbound/ada+{ID}+{early}+y/{BOOK}": ours("early"),
            f"inbound/ada+another-sheet+{late}+z/another-sheet.ipynb": others(),
        }
    )
    assert status == 0 and standing(into) == {"ada": ours("late")}
    times = {f"{one['submitted_at']:%H:%M}" for one in receipts(into)}
    assert times == {"15:00", "16:00"}


def test_nbgraders_own_timestamp_counts_in_the_folder_of_submissions(collect, into):
    top = f"submitted/ada/{ID}"
    stamp = b"2026-11-19 08:00:00.5 UTC"
    assert collect({f"{top}/{BOOK}": ours(), f"{top}/timestamp.txt": stamp})[0] == 0
    assert timestamp(into, "ada") == "2026-11-19 08:00:00 UTC"


def test_a_folder_of_another_assignment_is_left_aside(collect, into):
    files = {f"submitted/ada/{ID}/{BOOK}": ours(), "submitted/ben/other/other.ipynb": others()}
    status, said = collect(files)
    assert status == 0 and "1 student:" in said and standing(into) == {"ada": ours()}


@pytest.mark.parametrize("name", ["hw.ipynb", f"work/{BOOK}"])
def test_what_lies_elsewhere_in_a_students_folder_is_that_students(collect, into, name):
    """Whatever others have in theirs: it is placed, or its folder is named."""
    files = {f"submitted/ada/{ID}/{BOOK}": ours(), f"submitted/ben/{name}": ours(2)}
    assert collect(files)[0] == 0 and standing(into) == {"ada": ours(), "ben": ours(2)}
    said = collect({f"submitted/ada/{ID}/{BOOK}": ours(), "submitted/ben/x/hw.ipynb": ours(2)})[1]
    assert f"Nothing of `{ID}` is in the folders of ben." in said


def test_a_plus_in_a_name_makes_no_folder_of_the_exchange(collect, into):
    files = {f"Ada Softmax_7_assignsubmission_file/{BOOK}": ours(), f"C++ course/{BOOK}": ours(1)}
    status, said = collect(files)
    assert status == 3 and f"`C++ course/{BOOK}` is nobody's" in said
    assert [*standing(into).values()] == [ours()]


def test_a_name_that_is_no_id_is_kept_as_the_students_name(collect, into):
    time = "2026-11-20 15:00:00 UTC"
    assert collect({f"inbound/Ada Softmax+{ID}+{time}/{BOOK}": ours()})[0] == 0
    assert standing(into) == {"ada-softmax": ours()}


@pytest.mark.parametrize(
    ("owner", "name", "placed"),
    [
        (4_001, "ada", True),
        (4_002, "ada", False),
        (4_002, "ada@uni.example", False),
        (4_002, "ada ", False),
        (0, "ada", True),
        (None, "ada", True),
    ],
)
def test_what_another_user_put_into_somebodys_folder_is_not_read(
    collect, into, tmp_path, monkeypatch, owner, name, placed
):
    """`None`: whoever collects has copied it. Else it would be the newest of that student's."""

    def listed(*asked):
        found = really(*asked)
        return found if owner is None else [replace(one, owner=owner) for one in found]

    really = files.entries
    monkeypatch.setattr(files, "entries", listed)
    monkeypatch.setattr("autograder.engine.files.entries", listed)
    accounts = {4_001: "ada", 4_002: "eve"}
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: SimpleNamespace(pw_name=accounts[uid]))
    folder = tmp_path / "inbound" / f"{name}+{ID}+2026-11-20 16:00:00.5 UTC+x"
    folder.mkdir(parents=True)
    (folder / BOOK).write_bytes(ours())
    status, said = collect(folder.parent)
    assert (status == 0, standing(into)) == (placed, {"ada": ours()} if placed else {})
    assert ("belongs to another user of this machine" in said) is not placed
