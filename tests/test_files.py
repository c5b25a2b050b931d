"""Files are read within bounds, replaced whole or not at all, and locked."""

import os
import stat
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest

from autograder import files
from autograder.files import (
    Busy,
    NotRegular,
    TooLarge,
    hash_of,
    locked,
    read_regular,
    replacing,
    replacing_bytes,
    write_zip,
)


@pytest.fixture
def file(tmp_path):
    """A file with ten bytes."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    return path


@pytest.fixture(params=["link", "dangling link", "pipe", "folder", "device"])
def irregular(request, file, tmp_path):
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


def test_a_file_is_read_up_to_the_cap_and_not_beyond(file):
    assert read_regular(file, 10) == b"0123456789"
    with pytest.raises(TooLarge) as caught:
        read_regular(file, 9)
    assert caught.value.size == 10


def test_what_is_no_regular_file_is_not_opened(irregular):
    with pytest.raises(NotRegular):
        read_regular(irregular, 10)
    assert hash_of(irregular, 10) == ""


def test_a_file_that_is_exchanged_for_another_kind_is_noticed(file, monkeypatch):
    def exchanged(*arguments, **more):
        file.unlink()
        os.mkfifo(file)
        return really_open(*arguments, **more)

    really_open = os.open
    monkeypatch.setattr(files.os, "open", exchanged)
    with pytest.raises(NotRegular):
        read_regular(file, 10)


def test_a_file_that_grows_while_it_is_read_is_not_cut(file, monkeypatch):
    def stat_before_it_grew(descriptor):
        before = really_stat(descriptor)
        with file.open("ab") as more:
            more.write(b"more")
        return before

    really_stat = os.fstat
    with file.open("rb") as opened, monkeypatch.context() as patched:
        patched.setattr(files.os, "fstat", stat_before_it_grew)
        patched.setattr(files, "opened", lambda path: opened)
        with pytest.raises(TooLarge) as caught:
            read_regular(file, 10)
    assert caught.value.size > 10


def test_a_file_that_is_not_there_raises_what_open_raises(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "nowhere", 10)
    assert hash_of(tmp_path / "nowhere", 10) == ""


def test_a_hash_is_of_the_content_and_beyond_the_cap_of_beginning_and_size(file):
    assert hash_of(file, 10) == hash_of(file, 1_000) == "84d89877f0d4041e"  # sha256 of the content
    long = hash_of(file, 9)
    file.write_bytes(b"012345678x")
    assert hash_of(file, 9) == long != hash_of(file, 10)
    file.write_bytes(b"012345678xx")
    assert hash_of(file, 9) != long
    file.write_bytes(b"012345678")
    assert hash_of(file, 9) != long


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


def test_text_is_written_as_it_is_into_folders_that_are_made(tmp_path):
    path = tmp_path / "one" / "two" / "table.csv"
    with replacing(path) as file:
        file.write("ä,1\r\n")
    assert path.read_bytes() == "ä,1\r\n".encode()


def test_a_zip_has_the_same_bytes_each_time(tmp_path):
    content = {"a.txt": b"one", "folder/b.txt": b"two" * 1_000}
    write_zip(tmp_path / "one.zip", content)
    write_zip(tmp_path / "two.zip", content)
    data = (tmp_path / "one.zip").read_bytes()
    assert data == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == content
        assert {entry.date_time for entry in archive.infolist()} == {files.FIRST_DAY}


@pytest.mark.parametrize("place", ["", "lock"])
def test_one_at_a_time_has_the_lock_of_a_folder_or_a_file(tmp_path, place):
    with locked(tmp_path / place, "mine"):
        with pytest.raises(Busy, match="yours"), locked(tmp_path / place, "yours"):
            pytest.fail("two have it")
        assert list(tmp_path.iterdir()) == ([tmp_path / place] if place else [])
    with locked(tmp_path / place, "again"):
        pass


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path):
    code = (
        "import pathlib, sys, time\nfrom autograder.files import locked\n"
        "with locked(pathlib.Path(sys.argv[1]), ''):\n    print(flush=True)\n    time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(Busy), locked(tmp_path, "busy"):
            pytest.fail("two have it")
        process.kill()
    with locked(tmp_path, "free"):
        pass
