"""nbgrader's own layouts: whose files they are, for which assignment, and from when."""

import os
import shutil

import pytest
from downloads import BOOK, ID, others, ours, receipts, standing, timestamp


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize(
    ("owner", "name", "placed"),
    [
        ("games", "games", True),
        ("daemon", "games", False),
        ("daemon", "games@uni.example", False),
        ("daemon", "games ", False),
        ("daemon", "ada", False),
        ("root", "games", True),  # whoever collects has copied it
    ],
)
def test_what_another_user_put_into_somebodys_folder_is_not_read(
    collect, into, tmp_path, owner, name, placed
):
    """Else it would be the newest of that student's."""
    folder = tmp_path / "inbound" / f"{name}+{ID}+2026-11-20 16:00:00.5 UTC+x"
    folder.mkdir(parents=True)
    (folder / BOOK).write_bytes(ours())
    for path in (folder, folder / BOOK):
        shutil.chown(path, owner)
    status, said = collect(folder.parent)
    assert (status == 0, standing(into)) == (placed, {name: ours()} if placed else {})
    assert ("belongs to another user of this machine" in said) is not placed
