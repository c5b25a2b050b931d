"""What has no place is kept and listed, and is placed by what somebody fills in."""

import csv
import io
import json

import pytest
from downloads import (
    BOOK,
    COURSE,
    DAMAGED,
    ID,
    MOODLE,
    entry,
    on_disk,
    others,
    ours,
    receipts,
    standing,
    timestamp,
    zipped,
)
from recorded import everything_received
from sampling import every

from autograder._commands.main import main
from autograder.classroom.roster import read_roster

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]

COLUMNS = ["download", "file", "name", "email", "platform", "reason", "student"]
TWO = {f"{MOODLE}/a.ipynb": ours(1), f"{MOODLE}/b.ipynb": ours(2)}
GOOD = f"Ben Mask_7_assignsubmission_file/{BOOK}"


def table(into):
    return into.parent / f"unmatched-{ID}.csv"


def listed(into) -> list[dict[str, str]]:
    if not table(into).exists():
        return []
    with table(into).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def fill_in(into, tmp_path):
    """Write a copy of the table with students by the end of the file's name; return where it is."""

    def run(students: dict[str, str], encoding="utf-8", delimiter=","):
        rows = listed(into)
        for row in rows:
            ends = [end for end in students if row["file"].endswith(end)]
            row["student"] = students[ends[0]] if ends else row["student"]
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
        path = tmp_path / "choices.csv"
        path.write_bytes(text.getvalue().encode(encoding))
        return path

    return run


@pytest.fixture
def resolve(collect):
    def run(path, *words):
        return collect(words=["--resolve", str(path), *words])

    return run


def test_two_that_could_be_meant_are_kept_and_the_chosen_one_is_placed(
    collect, into, fill_in, resolve
):
    status, said = collect(TWO | {GOOD: ours()})
    assert status == 3 and f"is listed in `{table(into)}`" in said
    assert "The student's id is `ada-softmax-1234567`." in said
    rows = listed(into)
    assert [list(row) for row in rows] == [COLUMNS, COLUMNS]
    assert [row["file"] for row in rows] == [f"{MOODLE}/a.ipynb", f"{MOODLE}/b.ipynb"]
    assert {row["name"] for row in rows} == {"Ada Softmax"}
    assert {ours(1), ours(2)} <= everything_received(into)
    status, said = resolve(fill_in({"b.ipynb": "ada-softmax-1234567"}))
    assert status == 0, said
    assert "is the id right?" not in said  # it is the one that was named
    assert standing(into)["ada-softmax-1234567"] == ours(2) and listed(into) == []
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 15:00:00 UTC"
    assert read_roster(into, ID)["ada-softmax-1234567"].number == "1234567"
    assert "none unmatched" in collect(TWO | {GOOD: ours()})[1]


@pytest.mark.walls
def test_what_was_chosen_is_graded(collect, into, tmp_path, fill_in, resolve):
    collect(TWO)
    resolve(fill_in({"a.ipynb": "ada"}))
    words = ["--course", str(COURSE), "--results", str(tmp_path / "results"), "--no-gradebook"]
    assert main(["grade", str(into), *words]) == 0
    verdict = json.loads((tmp_path / "results" / ID / "ada.json").read_text())
    assert verdict["state"] == "graded"


def test_collecting_and_choosing_again_changes_nothing(collect, into, fill_in, resolve):
    download = TWO | {GOOD: ours(), f"{MOODLE}/x.pdf": b"%PDF", "lost.ipynb": ours(9)}
    collect(download)
    choices = fill_in({"a.ipynb": "ada"})
    for _ in range(3):
        before = on_disk(into)
        collect(download)
        assert on_disk(into) == before
        assert resolve(choices)[0] == 0
    assert set(standing(into)) == {"ada", "ben-mask-7"}
    assert [row["file"] for row in listed(into)] == ["lost.ipynb"]


def test_what_is_filled_in_already_outlasts_another_download(collect, into, resolve):
    collect(TWO)
    text = table(into).read_text()
    table(into).write_text(text.replace("a.ipynb`, `b.ipynb`).", "x", 1))
    rows = text.splitlines()
    table(into).write_text("\r\n".join([rows[0], rows[1] + "ada", rows[2]]) + "\r\n")
    collect({GOOD: ours(), "lost.ipynb": ours(9)})
    assert [row["student"] for row in listed(into)] == ["ada", "", ""]
    assert resolve(table(into))[0] == 0 and standing(into)["ada"] == ours(1)


def test_what_is_no_table_any_more_is_kept_beside_the_new_one(collect, into):
    collect(TWO)
    for number in (1, 2):
        table(into).write_text(f"mine {number}")
        collect(TWO)
        assert len(listed(into)) == 2
        assert table(into).with_name(f"unmatched-{ID}-{number}.csv").read_text() == f"mine {number}"


def test_a_table_from_a_spreadsheet_is_read(collect, into, fill_in, resolve):
    for encoding, delimiter in (("utf-8-sig", ";"), ("utf-16", "\t"), ("cp1252", ";")):
        collect({f"{encoding}.ipynb": ours(encoding), GOOD: ours()})
        status, said = resolve(
            fill_in({f"{encoding}.ipynb": "zoë-is-no-id; ada"}, encoding, delimiter)
        )
        assert status == 3 and "cannot be a student's id" in said
        assert standing(into)["ada"] == ours(encoding)


def test_in_a_zip_one_can_be_chosen(collect, into, fill_in, resolve):
    collect({f"{MOODLE}/hw.zip": zipped({"x/a.ipynb": ours(1), "x/b.ipynb": ours(2)})})
    assert len(listed(into)) == 2
    assert resolve(fill_in({"hw.zip/x/b.ipynb": "ada"}))[0] == 0
    assert standing(into) == {"ada": ours(2)}


def test_files_of_one_name_are_told_apart(collect, into, fill_in, resolve):
    for mark in (1, 2):
        collect({"hw.ipynb": ours(mark), GOOD: ours()})
    first, second = (row["file"] for row in listed(into))
    assert first == "hw.ipynb" and second.startswith("hw.ipynb [")
    assert resolve(fill_in({"]": "ada"}))[0] == 0
    assert standing(into)["ada"] == ours(2) and [row["file"] for row in listed(into)] == [
        "hw.ipynb"
    ]


PACKED = "is a 7z archive, which is not opened: unpack it"
INSIDE = "is an archive in an archive"
UNPLACED = [  # files of a student, and what is said of them; None: nothing
    ({"hw.pdf": b"%PDF"}, "there is no notebook"),
    ({BOOK: others()}, "is for another assignment"),
    ({"a.ipynb": others(1), "b.ipynb": others(2)}, "another assignment and `b.ipynb` is"),
    ({"a.ipynb": ours(1), "b.ipynb": ours(2)}, "notebooks could be meant (`a.ipynb`, `b.ipynb`)"),
    ({f"a/{BOOK}": ours(1), f"b/{BOOK}": ours(2)}, f"(`{MOODLE}/a/{BOOK}`, `{MOODLE}/b/{BOOK}`)"),
    ({"hw.7z": b"7z\xbc\xaf\x27\x1c"}, f"`hw.7z` {PACKED}"),
    ({"homework": b"7z\xbc\xaf\x27\x1c"}, f"`homework` {PACKED}"),
    ({"hw.rar": b"Rar!\x1a\x07\x00"}, "is a RAR archive, which is not opened"),
    ({"hw.tar.gz": b"\x1f\x8b\x08"}, "is a gzip archive (.tar.gz), which is not opened"),
    ({"hw.rar": b"x"}, "is called an archive (.rar), which is not opened"),
    ({"a.zip": zipped({"b.zip": b""})}, f"in `a.zip`, `b.zip` {INSIDE}"),
    ({"a.zip": zipped({"b.7z": b""})}, f"in `a.zip`, `b.7z` {INSIDE}"),
    ({"a.zip": b""}, "`a.zip` is not a zip, or is damaged"),
    ({"a.zip": zipped({"../../x.ipynb": ours()})}, "leads out of the download"),
    ({".DS_Store": b"x"}, None),
    ({"": b""}, "`Ada Softmax_1234567`: the folder is empty"),
]


@pytest.mark.parametrize(("files", "sentence"), UNPLACED)
def test_each_thing_that_is_no_notebook_has_its_sentence(collect, into, files, sentence):
    members = [(f"{MOODLE}/{name}", data) for name, data in files.items()]
    status, said = collect([*members, (GOOD, ours())])
    assert status == (3 if sentence else 0) and (sentence or "none unmatched") in said
    assert {sentence in row["reason"] for row in listed(into)} == ({True} if sentence else set())
    assert set(standing(into)) == {"ben-mask-7"}
    assert "there is no notebook" not in said or "archive" not in said
    kept = everything_received(into)
    assert all(data in kept for data in files.values() if data and sentence)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        (BOOK, b"", "is empty; save the notebook"),
        (BOOK, b"<!DOCTYPE html>", "is a web page; download the notebook itself"),
        (BOOK, DAMAGED, "its JSON is damaged"),
        (BOOK, b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it"),
        (BOOK, rb"{\rtf1\ansi {}}", "is an RTF document; download the notebook itself"),
        (BOOK, b"%PDF-1.7", "is a PDF; download the notebook itself"),
        (BOOK, zipped({"a.ipynb": ours(3)}), "placed"),
        (f"{BOOK}.txt", ours(3), "placed"),
    ],
)
def test_a_file_that_grading_cannot_read_is_placed_and_said_to_be_that(
    collect, into, name, data, sentence
):
    status, said = collect({f"{MOODLE}/{name}": data})
    assert status == 0 and sentence in " ".join(said.split())
    assert set(standing(into).values()) <= {data, ours(3)} and data in everything_received(into)


def test_an_empty_folder_of_a_student_is_listed(collect, into, tmp_path):
    top = tmp_path / "unpacked"
    for name in (MOODLE, "Ben Mask_7_assignsubmission_file", "Cleo Head_8_assignsubmission_file/x"):
        (top / name).mkdir(parents=True)
    (top / MOODLE / BOOK).write_bytes(ours())
    (top / "Ben Mask_7_assignsubmission_file" / ".DS_Store").touch()
    status, said = collect(top)
    assert status == 3 and said.count("the folder is empty") == 2
    assert {row["name"] for row in listed(into)} == {"Ben Mask", "Cleo Head"}


def test_what_came_with_a_notebook_is_kept_with_the_student_once(collect, into):
    beside = {f"{MOODLE}/{BOOK}": ours(1), f"{MOODLE}/b.ipynb": ours(2), f"{MOODLE}/x.pdf": b"%PDF"}
    for _ in range(2):
        assert collect(beside)[0] == 0
        assert everything_received(into) == {ours(1), ours(2), b"%PDF"}
    collect(beside | {f"{MOODLE}/x.pdf": b"%PDF 2"})
    assert b"%PDF 2" in everything_received(into)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "has no column `download`"),
        ("", "has no column"),
        ("download,file,student\nx.zip,hw.ipynb,\n", "Nothing is filled in"),
        ("download,file,student\nx.zip,hw.ipynb,ada\n", "is not unmatched"),
        ("download,file,student\na,b,c\na,b,d\n", "is there twice"),
        ("download,file,student\n\udc81,b,c\n", "is no text"),
    ],
)
def test_a_table_that_does_not_fit_is_said_in_a_sentence(
    collect, into, tmp_path, resolve, text, sentence
):
    collect({"lost.ipynb": ours(), GOOD: ours()})
    before = on_disk(into)
    (tmp_path / "choices.csv").write_bytes(text.encode(errors="surrogateescape"))
    status, said = resolve(tmp_path / "choices.csv")
    assert status in (2, 3) and sentence in said and on_disk(into) == before


def test_names_of_students_do_no_harm_in_the_table(collect, into):
    name = "=cmd()|' x\x1b[31m\u202e"
    evil = [(entry(f"{name.replace(chr(27), '')}/{file}.ipynb"), ours(file)) for file in "ab"]
    status, said = collect([*evil, (f"ben/{BOOK}", ours())])
    assert status == 3 and "\u202e" not in table(into).read_text() + said
    assert all(cell[:1] not in "=+-@" for row in listed(into) for cell in row.values() if cell)


@pytest.mark.parametrize("last", every(4, range(9)))
def test_a_run_that_dies_anywhere_loses_nothing(collect, into, dies, fill_in, resolve, last):
    dies(lambda: collect(TWO), last)
    assert collect(TWO)[0] == 3 and len(listed(into)) == 2
    choices = fill_in({"b.ipynb": "ada"})
    assert dies(lambda: resolve(choices), last) or last > 2
    assert resolve(choices)[0] == 0
    assert standing(into) == {"ada": ours(2)} and listed(into) == []
    assert len(receipts(into)) == 1
    choices.write_text(choices.read_text().replace(",ada", ",-"))
    dies(lambda: resolve(choices), last)
    assert resolve(choices)[0] == 0 and standing(into) == {}
