"""Files are read within bounds, and replaced whole or not at all."""

import json
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
    read_end,
    read_named,
    read_regular,
    reading,
    replacing,
    replacing_bytes,
    walk,
)


@pytest.fixture(params=["by descriptor", "by path"])
def system(request, monkeypatch):
    """This system, and one that opens no folder, as Windows."""
    if request.param == "by path":
        monkeypatch.setattr(reading, "BY_DESCRIPTOR", False)
        monkeypatch.delattr(reading, "FOLDER")


@pytest.fixture
def file(tmp_path):
    """A file with ten bytes."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    return path


@pytest.fixture(params=["link", "dangling link", "pipe", "folder", "device"])
def irregular(request, system, file, tmp_path):
    """A path that is no regular file."""
    path = tmp_path / "irregular"
    match request.param:
        case "link":
            path.symlink_to(file)
        case "dangling link":
            path.symlink_to(tmp_path / "nowhere")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            return type(path)(os.devnull)
    return path


def test_a_file_is_read_up_to_the_cap_and_not_beyond(system, file):
    assert read_regular(file, 10, file.parent) == b"0123456789"
    with pytest.raises(TooLarge) as caught:
        read_regular(file, 9, file.parent)
    assert caught.value.size == 10 and read_end(file, 3) == b"789"
    with pytest.raises(FileNotFoundError):
        read_regular(file.with_name("nowhere"), 10, file.parent)
    os.truncate(file, 1 << 40)  # full of holes
    assert len(hash_of(file, 1_000, file.parent)) == 16


def test_what_is_no_regular_file_is_not_opened(irregular):
    with pytest.raises(NotRegular):
        read_regular(irregular, 10, irregular.parent)
    assert hash_of(irregular, 10, irregular.parent) == ""


@pytest.fixture(params=["student", "assignment", "file"])
def linked(request, system, tmp_path):
    """A path of three parts below a folder, one of which is a link to another student's."""
    honest = tmp_path / "submitted" / "honest" / "sheet" / "sheet.ipynb"
    honest.parent.mkdir(parents=True)
    honest.write_text("another's work")
    path = tmp_path / "submitted" / "eve" / "sheet" / "sheet.ipynb"
    depth = ["file", "assignment", "student"].index(request.param)
    link, target = (path, *path.parents)[depth], (honest, *honest.parents)[depth]
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    assert path.read_text() == "another's work"
    return path


def test_no_link_is_followed_on_any_part_of_the_path(linked, tmp_path):
    top = tmp_path / "submitted"
    with pytest.raises(NotRegular):
        read_regular(linked, 100, top)
    assert hash_of(linked, 100, top) == ""
    if linked.parent.resolve() == linked.parent:
        assert kind_of(linked, top) == "other" and entries(linked.parent, top)[0].kind == "other"
        return
    for ask in (
        lambda: kind_of(linked, top),
        lambda: entries(linked.parent, top),
        lambda: list(walk(linked.parent, top, 3)),
    ):
        with pytest.raises(NotRegular):
            ask()


def test_the_folder_that_the_staff_name_may_be_a_link(system, tmp_path, file):
    (tmp_path / "elsewhere").symlink_to(tmp_path)
    top = tmp_path / "elsewhere"
    assert read_regular(top / "file", 10, top) == b"0123456789"
    assert {one.name: one.kind for one in entries(top, top)} == {
        "elsewhere": "other",
        "file": "file",
    }


def test_a_folder_that_is_exchanged_for_a_link_while_it_is_open_changes_nothing(
    tmp_path, monkeypatch
):
    for name in ("eve", "honest"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)

    def exchanged(name, *arguments, **more):
        if name == "file" and not (tmp_path / "eve").is_symlink():
            (tmp_path / "eve").rename(tmp_path / "before")
            (tmp_path / "eve").symlink_to(tmp_path / "honest")
        return really_stat(name, *arguments, **more)

    really_stat = os.stat
    monkeypatch.setattr(reading.os, "stat", exchanged)
    assert read_regular(tmp_path / "eve" / "file", 10, tmp_path) == b"eve"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../secret", "no path to a file"),
        ("no\0file", "no path to a file"),
        ("\ud800", "no path to a file"),
        ("x" * 300, "too long"),
    ],
)
def test_a_path_that_leads_out_or_nowhere_is_an_error_of_the_file(tmp_path, name, words):
    (tmp_path / "secret").touch()
    (tmp_path / "top").mkdir()
    with pytest.raises(OSError, match=words):
        read_regular(tmp_path / "top" / name, 10, tmp_path / "top")


def test_what_the_staff_name_may_be_a_link_and_nothing_else(irregular, file):
    if irregular.is_file():
        assert read_named(irregular, 10) == b"0123456789"
    else:
        with pytest.raises((NotRegular, FileNotFoundError)):
            read_named(irregular, 10)
    with pytest.raises(TooLarge):
        read_named(file, 9)


def test_a_walk_gives_all_that_is_no_folder_and_does_not_go_too_deep(system, tmp_path, file):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "deep").touch()
    (tmp_path / "a" / "link").symlink_to(tmp_path)
    (tmp_path / "skipped").mkdir()
    (tmp_path / "skipped" / "junk").touch()

    def found(depth):
        walked = walk(tmp_path, tmp_path, depth, lambda name: name == "skipped")
        return {"/".join(parts): entry.kind for parts, entry in walked}

    assert found(2) == {"a/b/deep": "file", "a/link": "other", "file": "file"}
    assert found(1) == {"a/b": "folder", "a/link": "other", "file": "file"}


def test_a_folder_with_too_many_files_is_not_listed(tmp_path, file):
    assert len(entries(tmp_path, tmp_path, 1)) == 1
    (tmp_path / "second").touch()
    with pytest.raises(reading.TooMany):
        entries(tmp_path, tmp_path, 1)


@pytest.mark.parametrize("strict", [True, False])
def test_folders_are_counted_although_nothing_is_in_them(tmp_path, strict):
    for name in ("a/b/c", "d"):
        (tmp_path / name).mkdir(parents=True)
    assert list(walk(tmp_path, tmp_path, 9, strict=strict, most=4)) == []
    if strict:
        with pytest.raises(reading.TooMany):
            list(walk(tmp_path, tmp_path, 9, most=3))
    else:
        found = walk(tmp_path, tmp_path, 9, strict=False, most=3)
        assert [path for path, _ in found] == [("a", "b")]


def test_half_a_surrogate_pair_can_be_written(tmp_path):
    with replacing(tmp_path / "text.json") as text:
        json.dump("a\ud800b", text, ensure_ascii=False)
    assert json.loads((tmp_path / "text.json").read_text()) == "a\ud800b"


def test_a_file_that_is_exchanged_for_another_kind_is_noticed(file, monkeypatch):
    def exchanged(name, *arguments, **more):
        if name == file.name:
            file.unlink()
            os.mkfifo(file)
        return really_open(name, *arguments, **more)

    really_open = os.open
    monkeypatch.setattr(reading.os, "open", exchanged)
    with pytest.raises(NotRegular):
        read_regular(file, 10, file.parent)


def test_a_file_that_grows_while_it_is_read_is_not_cut(file, monkeypatch):
    def stat_before_it_grew(descriptor):
        before = really_stat(descriptor)
        with file.open("ab") as more:
            more.write(b"more")
        return before

    really_stat = os.fstat
    with file.open("rb") as opened, monkeypatch.context() as patched:
        patched.setattr(reading.os, "fstat", stat_before_it_grew)
        patched.setattr(reading, "opened", lambda path, top: opened)
        with pytest.raises(TooLarge) as caught:
            read_regular(file, 10, file.parent)
    assert caught.value.size > 10


def test_a_hash_is_of_the_content_and_beyond_the_cap_of_beginning_and_size(file):
    assert (
        hash_of(file, 10, file.parent) == hash_of(file, 1_000, file.parent) == "84d89877f0d4041e"
    )  # sha256 of the content
    long = hash_of(file, 9, file.parent)
    file.write_bytes(b"012345678x")
    assert hash_of(file, 9, file.parent) == long != hash_of(file, 10, file.parent)
    file.write_bytes(b"012345678xx")
    assert hash_of(file, 9, file.parent) != long
    file.write_bytes(b"012345678")
    assert hash_of(file, 9, file.parent) != long


def test_a_file_is_replaced_when_its_successor_is_complete(file):
    with replacing_bytes(file) as new:
        new.write(b"new")
        assert file.read_bytes() == b"0123456789"
    assert file.read_bytes() == b"new" and stat.S_IMODE(file.stat().st_mode) == 0o644


def test_after_an_exception_the_old_file_is_there_and_nothing_else(file):
    def interrupted():
        with replacing(file) as new:
            new.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [path.read_bytes() for path in file.parent.iterdir()] == [b"0123456789"]


def test_by_path_what_was_swapped_after_it_was_looked_at_is_not_read(file, monkeypatch):
    other = file.with_name("other")
    other.write_text("another's")
    opened = os.open
    monkeypatch.setattr(by_path.os, "open", lambda path, flags: opened(other, flags))
    with pytest.raises(NotADirectoryError):
        by_path.open_regular(file.parent, [file.name])


@pytest.mark.parametrize(
    ("tag", "leads"), [(0xA000000C, True), (0xA0000003, True), (0x9000001A, False)]
)
def test_links_and_junctions_of_windows_lead_elsewhere_and_files_in_a_cloud_do_not(
    monkeypatch, tag, leads
):
    monkeypatch.setattr(by_path, "LINKS", {0xA000000C, 0xA0000003})  # as Windows' Python has them
    info = SimpleNamespace(st_mode=stat.S_IFREG | 0o644, st_reparse_tag=tag)
    assert by_path.is_link(info) is leads
