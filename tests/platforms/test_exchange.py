"""Nobody submits for somebody else at nbgrader's exchange. What it says: `data/facts.toml`."""

import os
import shutil

import pytest
from downloads import BOOK, ID, ours, standing


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
