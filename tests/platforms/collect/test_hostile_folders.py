"""Links, full disks and changed files in SUBMITTED: nothing is lost, nothing outside is touched."""

import errno
import os
import resource

import pytest
from downloads import BOOK, ID, collect_words, on_disk, ours, zipped

from autograder._commands.main import main
from autograder.engine.files import writing

EVIL = "Eve_8_assignsubmission_file"


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("eve-8", 3),
        (f"eve-8/{ID}", 3),
    ],
)
def test_nothing_is_written_through_a_link(tmp_path, world, place, status, capfd):
    away = world / "away"
    away.mkdir()
    link = world / "submitted" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(away)
    (tmp_path / "download.zip").write_bytes(zipped({f"{EVIL}/{BOOK}": ours()}))
    words = collect_words(world / "submitted")
    assert main(["collect", str(tmp_path / "download.zip"), *words]) == status
    assert "not a folder" in "".join(capfd.readouterr())
    assert link.is_symlink() and os.listdir(away) == []


def test_a_link_in_the_notebooks_place_is_said_and_left(collect_hostile, world, capfd):
    book = world / "submitted" / "eve-8" / ID / BOOK
    book.parent.mkdir(parents=True)
    book.symlink_to(world / "bystander.txt")
    words = collect_words(world / "submitted")
    path = world.parent / "download.zip"
    path.write_bytes(zipped({f"{EVIL}/{BOOK}": ours()}))
    assert main(["collect", str(path), *words]) == 3
    assert "is in the way" in "".join(capfd.readouterr())
    assert book.is_symlink() and (world / "bystander.txt").read_text() == "untouched"


def test_when_the_disk_is_full_what_was_placed_is_kept(collect_hostile, monkeypatch, world):
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


def test_a_folder_that_cannot_be_written_is_one_sentence(collect_hostile, monkeypatch, world):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(world / "submitted"))

    monkeypatch.setattr(writing.os, "replace", refuse)
    status, said, graded = collect_hostile({f"{EVIL}/{BOOK}": ours()})
    assert status == 1 and "Permission denied" in said and not graded


def test_a_submitted_folder_that_is_a_file_is_one_sentence(collect_hostile, world):
    (world / "submitted").write_text("mine")
    status, said, _ = collect_hostile({f"{EVIL}/{BOOK}": ours()})
    assert status in (1, 3) and (world / "submitted").read_text() == "mine"
    assert "Traceback" not in said
