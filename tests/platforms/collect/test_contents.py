"""What one student handed in is read within that student's own limits, and in a process of its own."""

import os
from itertools import count

import pytest

from autograder.engine.limits import bounded
from autograder.platforms.collect import contents
from autograder.platforms.collect.contents import read_contents
from autograder.platforms.download import File


def file(name, read, size=0):
    return File(("ada", name), None, "nobody", read, size=size)


def never():
    raise AssertionError("it is read")


def test_what_is_read_is_read_in_another_process():
    (one,), troubles = read_contents([file("a.ipynb", lambda: str(os.getpid()).encode())])
    assert int(one.data) != os.getpid() and troubles == []


def test_a_file_that_says_that_it_is_too_much_is_not_read(monkeypatch):
    monkeypatch.setattr(contents, "MAX_BYTES", 5)
    files = [file("big.ipynb", never, size=6), file("small.ipynb", lambda: b"12345", size=5)]
    read, (trouble,) = read_contents(files)
    assert [one.name for one in read] == ["small.ipynb"] and "`big.ipynb` is left out" in trouble


def test_a_file_that_says_less_than_it_has_is_left_out(monkeypatch):
    monkeypatch.setattr(contents, "MAX_BYTES", 5)
    read, (trouble,) = read_contents([file("liar.ipynb", lambda: b"123456")])
    assert read == [] and "`liar.ipynb` is left out" in trouble


def test_other_files_have_little_room_and_take_none_of_the_notebooks(monkeypatch):
    monkeypatch.setattr(contents, "MAX_OTHER_BYTES", 5)
    big, small = file("0.bin", never, size=6), file("a.png", lambda: b"12345", size=5)
    read, (trouble,) = read_contents([big, small, file("a.ipynb", lambda: b"123456", size=6)])
    assert [one.name for one in read] == ["a.ipynb", "a.png"]
    assert trouble == "`0.bin` is left out: there are more than 0 MiB of other files"


def test_of_too_many_files_notebooks_are_the_last_to_be_left_out(monkeypatch):
    monkeypatch.setattr(contents, "MAX_FILES", 2)
    files = [*(file(f"{n}.txt", lambda: b"") for n in range(9)), file("a.ipynb", lambda: b"{}")]
    read, (trouble,) = read_contents(files)
    assert [one.name for one in read] == ["a.ipynb", "0.txt"] and "2 of 10 files" in trouble


@pytest.mark.slow
def test_what_never_ends_costs_its_student_alone(monkeypatch):
    monkeypatch.setattr(bounded, "SECONDS", 1)

    def endless():
        for _ in count():
            pass

    read, (trouble,) = read_contents([file("a.zip", endless)])
    assert read == [] and "takes more than 1 s of the processor" in trouble
    assert [one.data for one in read_contents([file("a.ipynb", lambda: b"{}")])[0]] == [b"{}"]
