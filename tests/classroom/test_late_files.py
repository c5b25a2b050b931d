"""What staff write about single students, and a submission's timestamp: read strictly, told line by line."""

import os
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import AutograderError
from autograder.classroom.late_files import MOST_SENTENCES, StaffEntry, read_said, submitted_at
from autograder.engine import files

BERLIN = ZoneInfo("Europe/Berlin")
LIKE = "no time like 2026-11-30 18:00+01:00."
NOT_COUNTED = f"is none of newest, in time, best, and {LIKE}"


@pytest.fixture
def read(tmp_path):
    """Read a file with this content."""

    def run(text: str | bytes, column: str = "submitted"):
        path = tmp_path / "late.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_said(path, column, BERLIN)

    return run


@pytest.mark.parametrize(
    ("column", "cell", "hour", "has_zone"),
    [
        ("submitted", "2026-11-30 18:00+00:00", 18, True),
        ("submitted", "2026-11-30T18:00Z", 18, True),
        ("submitted", "2026-11-30 18:00", 17, False),
        ("submitted", "2026-11-30 18:00:00 Europe/London", 18, True),
        ("submitted", "2026-11-30 18:00:00 UTC", 18, True),
        ("submitted", "30.11.2026 18:00", 17, False),
        ("counts", "2026-11-30 18:00", 17, False),
        ("until", "2026-11-30", 23, False),  # to the end of the day
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_time_is_read_in_its_own_zone_or_in_the_courses(
    read, column, cell, hour, has_zone, separator
):
    heading = separator.join(["\ufeffStudent", "note", "assignment ", column])
    entries = read(f"{heading}\ns1{separator}{separator}a{separator}{cell}\n\n", column)
    assert entries == {("s1", "a"): StaffEntry(2, datetime(2026, 11, 30, hour), has_zone=has_zone)}


LINES = [  # of a file with this column, and the sentences on those that are bad
    ("submitted", "s1,a,", ""),  # still empty
    ("until", "s1,a,", f"2: `` is {LIKE}"),
    ("submitted", "s1,a,2026-11-30", f"2: `2026-11-30` is {LIKE}"),
    ("submitted", "s1,a,soon\ns2,a,2026-11-30 18:00\ns2,a,2026-11-30 19:00\ns5,a,2026-02-30 18:00",
     f"2: `soon` is {LIKE}\n4: s2 has something else in line 3.\n5: `2026-02-30 18:00` is {LIKE}"),
    ("until", "../s3,a,2026-11-30 18:00\ns4,,2026-11-30 18:00",
     "2: it names no student or no assignment.\n3: it names no student or no assignment."),
    ("counts", "s1,a,newest\ns2,a,In time\ns3,a,best\ns4,a,", ""),
    ("counts", "s1,a,latest\ns2,a,2026-11-30\ns3,a,best\ns3,a,newest",
     f"2: `latest` {NOT_COUNTED}\n3: `2026-11-30` {NOT_COUNTED}\n5: s3 has something else in line 4."),
]  # fmt: skip


@pytest.mark.parametrize(("column", "lines", "sentences"), LINES)
def test_each_bad_line_has_a_sentence(read, column, lines, sentences):
    message = ""
    try:
        entries = read(f"student,assignment,{column}\n{lines}", column)
        assert len(entries) == len(lines.splitlines())
    except AutograderError as error:
        message = str(error)
    assert message.replace("`late.csv`, line ", "") == sentences
    assert message.count("`late.csv`, line ") == len(sentences.splitlines())


def test_of_very_many_bad_lines_only_the_first_are_told(read):
    with pytest.raises(AutograderError) as caught:
        read("student,assignment,submitted\n" + "s1,a,soon\n" * 500)
    sentences = str(caught.value).split("\n")
    assert len(sentences) == MOST_SENTENCES + 1 and "480 more lines" in sentences[-1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "has no column `student`: it needs student, assignment, submitted"),
        (b"student,assignment\n", "has no column `submitted`"),
        (b"student,assignment,submitted\n\x81", "is no text: save the table as CSV"),
        (b"student,assignment,submitted\ns1,a\0b,c\n", ""),
        (b'student,assignment,submitted\ns1,"a,', "line 2: unexpected end"),
    ],
)
def test_what_is_no_table_of_times_is_told(read, text, words):
    with pytest.raises(AutograderError, match=f"late.csv.*{words}"):
        read(text)


def test_no_file_says_nothing_and_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "late.csv"
    assert read_said(path, "submitted", UTC) == {}
    os.mkfifo(path)
    with pytest.raises(AutograderError, match="cannot be read"):
        read_said(path, "submitted", UTC)


@given(st.text(max_size=60), st.sampled_from(["submitted", "until", "counts"]))
def test_any_cell_is_understood_or_told_in_one_printable_line(tmp_path_factory, text, column):
    path = tmp_path_factory.mktemp("any") / "late.csv"
    cell = text.replace('"', '""').encode(errors="replace").decode()
    path.write_text(f'student,assignment,{column}\ns1,a,"{cell}"\n', newline="", encoding="utf-8")
    keys, message = {("s1", "a")}, ""
    try:
        keys = {*read_said(path, column, UTC)}
    except AutograderError as error:
        message = str(error)
    assert keys == {("s1", "a")} and message.isprintable()


NOT_TIMES = "12", "Mon", "15:00", "2026-11-20 15:00:00 /etc/localtime"  # each is but half a time


@pytest.mark.parametrize("content", [*NOT_TIMES, os.symlink, os.mkfifo, None])
def test_a_time_is_read_whole_and_from_no_link_and_no_pipe(tmp_path, content):
    path = tmp_path / files.TIMESTAMP
    if content is None:
        assert submitted_at(tmp_path, tmp_path) is None
        return
    reason = "is no regular file"
    if content is os.symlink:
        (tmp_path / "there.txt").write_text("2026-11-20 15:00:00 UTC")
        path.symlink_to("there.txt")
    elif content is os.mkfifo:
        os.mkfifo(path)
    else:
        path.write_text(content)
        reason = "no time like"
    with pytest.raises(AutograderError, match=reason):
        submitted_at(tmp_path, tmp_path)
