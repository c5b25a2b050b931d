"""Files are read as elsewhere where folders have no descriptors: no link followed, no other kind opened."""

import os
import stat
from types import SimpleNamespace

import pytest

from autograder.engine.files import (
    NotRegular,
    TooLarge,
    by_path,
    entries,
    hash_of,
    kind_of,
    read_regular,
    walk,
)
from autograder.engine.files import reading as files


@pytest.fixture(autouse=True)
def no_descriptors(monkeypatch):
    """A system that opens no folder, as Windows."""
    monkeypatch.setattr(files, "BY_DESCRIPTOR", False)
    monkeypatch.delattr(files, "FOLDER")


@pytest.fixture
def file(tmp_path):
    """A file with ends of lines of both kinds."""
    path = tmp_path / "student" / "sheet" / "sheet.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"one\r\ntwo\n\x1a")
    return path


def test_a_file_is_read_byte_by_byte_up_to_the_cap(file, tmp_path):
    assert read_regular(file, 10, tmp_path) == b"one\r\ntwo\n\x1a"
    assert len(hash_of(file, 10, tmp_path)) == 16
    with pytest.raises(TooLarge):
        read_regular(file, 9, tmp_path)


@pytest.mark.parametrize("depth", [0, 1, 2], ids=["file", "assignment", "student"])
def test_no_link_is_followed_on_the_way_down(file, tmp_path, depth):
    target = (file, *file.parents)[depth]
    link = target.with_name("link")
    link.symlink_to(target)
    path = link / file.relative_to(target) if depth else link
    with pytest.raises(NotRegular):
        read_regular(path, 10, tmp_path)
    if depth:
        with pytest.raises(NotRegular):
            entries(link, tmp_path)
        with pytest.raises(NotRegular):
            kind_of(path, tmp_path)
    assert kind_of(link, tmp_path) == "other"


def test_the_folder_that_staff_named_may_be_a_link(file, tmp_path):
    (tmp_path / "named").symlink_to(tmp_path / "student")
    path = tmp_path / "named" / "sheet" / "sheet.ipynb"
    assert read_regular(path, 10, tmp_path / "named") == file.read_bytes()


def test_a_folder_and_a_pipe_are_not_opened(file, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (file.parent, tmp_path / "pipe", file / "below"):
        with pytest.raises(NotRegular):
            read_regular(path, 10, tmp_path)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "nothing", 10, tmp_path)


def test_what_was_swapped_after_it_was_looked_at_is_not_read(file, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.write_text("another's")
    monkeypatch.setattr(by_path, "AS_BYTES", os.O_RDONLY)
    opened = os.open
    monkeypatch.setattr(by_path.os, "open", lambda path, flags: opened(other, flags))
    with pytest.raises(NotADirectoryError):
        by_path.open_regular(tmp_path, file.relative_to(tmp_path).parts)


def test_folders_are_listed_and_walked(file, tmp_path):
    assert [one.name for one in entries(tmp_path, tmp_path)] == ["student"]
    assert [parts for parts, _ in walk(tmp_path, tmp_path, 4)] == [
        ("student", "sheet", "sheet.ipynb")
    ]


@pytest.mark.parametrize(
    ("tag", "leads"), [(0xA000000C, True), (0xA0000003, True), (0x9000001A, False)]
)
def test_links_and_junctions_of_windows_lead_elsewhere_and_files_in_a_cloud_do_not(
    monkeypatch, tag, leads
):
    monkeypatch.setattr(by_path, "LINKS", {0xA000000C, 0xA0000003})  # as Windows' Python has them
    info = SimpleNamespace(st_mode=stat.S_IFREG | 0o644, st_reparse_tag=tag)
    assert by_path.is_link(info) is leads
