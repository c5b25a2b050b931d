"""What one student handed in is read within that student's own limits, and in a process of its own."""

import os

import pytest

from autograder.platforms.collect import contents
from autograder.platforms.download import File


def file(name, read, size=0):
    return File(("ada", name), None, "nobody", read, size=size)


def never():
    raise AssertionError("it is read")


def test_what_is_read_is_read_in_another_process():
    (one,), troubles = contents.read_contents([file("a.ipynb", lambda: str(os.getpid()).encode())])
    assert int(one.data) != os.getpid() and troubles == []


FIVE = {"size": 5, "read": lambda: b"12345"}
SIX = {"size": 6, "read": lambda: b"123456"}
SOME = [file(f"{n}.txt", lambda: b"") for n in range(9)]
LIMITS = [  # the limit, files, those that are read, and what is said of the others
    ("MAX_BYTES", [file("a.ipynb", never, 6), file("b.ipynb", **FIVE)], "b.ipynb", "`a.ipynb` is"),
    ("MAX_BYTES", [file("liar.ipynb", SIX["read"])], "", "`liar.ipynb` is left out"),
    ("MAX_OTHER_BYTES", [file("0.bin", never, 6), file("a.png", **FIVE)], "a.png", "`0.bin` is"),
    (
        "MAX_OTHER_BYTES",
        [file("0.bin", never, 6), file("a.ipynb", **SIX)],
        "a.ipynb",
        "other files",
    ),
    ("MAX_FILES", [*SOME, file("a.ipynb", lambda: b"{}")], "a.ipynb 0.txt 1.txt 2.txt 3.txt", "10"),
]


@pytest.mark.parametrize(("limit", "files", "names", "sentence"), LIMITS)
def test_what_is_over_a_limit_is_left_out_and_the_notebook_last(
    monkeypatch, limit, files, names, sentence
):
    monkeypatch.setattr(contents, limit, 5)
    read, (trouble,) = contents.read_contents(files)
    assert [one.name for one in read] == names.split() and sentence in trouble
    assert "left out" in trouble
