"""Links, full disks and changed files in SUBMITTED: nothing is lost, nothing outside is touched."""

import os
import resource

import pytest
from downloads import BOOK, ID, collect_words, on_disk, ours, zipped

from autograder._commands.main import main

EVIL = "Eve_8_assignsubmission_file"


@pytest.mark.parametrize("place", ["eve-8", f"eve-8/{ID}", f"eve-8/{ID}/{BOOK}"])
def test_nothing_is_written_through_a_link(world, place, capfd):
    away = world / "away"
    away.mkdir()
    link = world / "submitted" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(world / "bystander.txt" if place.endswith(BOOK) else away)
    (world.parent / "download.zip").write_bytes(zipped({f"{EVIL}/{BOOK}": ours()}))
    words = collect_words(world / "submitted")
    assert main(["collect", str(world.parent / "download.zip"), *words]) == 3
    said = "".join(capfd.readouterr())
    assert "not a folder" in said or "is in the way" in said
    assert link.is_symlink() and os.listdir(away) == []
    assert (world / "bystander.txt").read_text() == "untouched"


def test_when_the_disk_is_full_what_was_placed_is_kept(collect_hostile, world):
    names = {
        f"S{n}_{n}_assignsubmission_file/{BOOK}": ours(n, pad="x" * n)
        for n in (10, 20, 1_300_000, 1_400_000)
    }
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        status, said, graded = collect_hostile(names)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert status == 1 and "What was written before is kept" in said
    assert set(graded) == {"s10-10"}
    assert not [path for path in on_disk(world) if "/." in path]
    status, said, graded = collect_hostile(names)
    assert status == 0 and "4 unchanged" in said and len(graded) == 4


def test_a_submitted_folder_that_is_a_file_is_one_sentence(collect_hostile, world):
    (world / "submitted").write_text("mine")
    status, said, _ = collect_hostile({f"{EVIL}/{BOOK}": ours()})
    assert status in (1, 3) and (world / "submitted").read_text() == "mine"
    assert "Traceback" not in said
