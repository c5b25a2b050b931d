"""Times that staff write, and a submission's timestamp: read strictly, told line by line."""

import os
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.gradebook.late_files import (
    MOST_SENTENCES,
    PolicyError,
    TimeError,
    read_times,
    submitted_at,
    template,
)
from autograder.times import TIMESTAMP

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def read(tmp_path):
    """Read a file with this content."""

    def run(text: str | bytes, column: str = "submitted"):
        path = tmp_path / "late.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_times(path, column, BERLIN)

    return run


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-11-30 18:00+00:00", 18),
        ("2026-11-30T18:00Z", 18),
        ("2026-11-30 18:00", 17),
        ("2026-11-30 18:00:00 Europe/London", 18),
        ("2026-11-30 18:00:00 UTC", 18),
        ("30.11.2026 18:00", 17),
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_time_is_read_in_its_own_zone_or_in_the_courses(read, text, hour, separator):
    heading = separator.join(["\ufeffStudent", "note", "assignment ", "submitted"])
    found = read(f"{heading}\ns1{separator}{separator}a{separator}{text}\n\n")
    assert found["s1", "a"].when == datetime(2026, 11, 30, hour)
    assert found["s1", "a"].has_zone is ((text[-1] in "0Zn" and hour == 18) or "UTC" in text)


def test_a_day_alone_lasts_to_its_end_for_an_extension_and_is_no_time_of_handing_in(read):
    text = "student,assignment,until\ns1,a,2026-11-30\n"
    assert read(text, "until")["s1", "a"].when == datetime(2026, 11, 30, 23)
    with pytest.raises(PolicyError, match="line 2: `2026-11-30` is no time"):
        read(text.replace("until", "submitted"))


def test_a_cell_that_is_still_empty_says_no_time(read):
    assert read("student,assignment,submitted\ns1,a,\n")["s1", "a"].when is None
    with pytest.raises(PolicyError, match="line 2"):
        read("student,assignment,until\ns1,a,\n", "until")


def test_each_bad_line_has_a_sentence(read):
    with pytest.raises(PolicyError) as caught:
        read(
            "student,assignment,submitted\n"
            "s1,a,soon\n"
            "s2,a,2026-11-30 18:00\n"
            "s2,a,2026-11-30 19:00\n"
            "../s3,a,2026-11-30 18:00\n"
            "s4,,2026-11-30 18:00\n"
            "s5,a,2026-02-30 18:00\n"
        )
    assert str(caught.value).split("\n") == [
        "`late.csv`, line 2: `soon` is no time like 2026-11-30 18:00+01:00.",
        "`late.csv`, line 4: s2 has another time in line 3.",
        "`late.csv`, line 5: it names no student or no assignment.",
        "`late.csv`, line 6: it names no student or no assignment.",
        "`late.csv`, line 7: `2026-02-30 18:00` is no time like 2026-11-30 18:00+01:00.",
    ]


def test_of_very_many_bad_lines_only_the_first_are_told(read):
    with pytest.raises(PolicyError) as caught:
        read("student,assignment,submitted\n" + "s1,a,soon\n" * 500)
    sentences = str(caught.value).split("\n")
    assert len(sentences) == MOST_SENTENCES + 1 and "480 more lines" in sentences[-1]


@pytest.mark.parametrize(
    "text",
    [b"", b"student,assignment\n", b"student,assignment,submitted\n\xff", b"a\0b,c\n", b'"' * 9],
)
def test_what_is_no_table_of_times_is_told(read, text):
    with pytest.raises(PolicyError, match="late.csv"):
        read(text)


def test_no_file_says_nothing_and_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "late.csv"
    assert read_times(path, "submitted", UTC) == {}
    os.mkfifo(path)
    with pytest.raises(PolicyError, match="cannot be read"):
        read_times(path, "submitted", UTC)


@given(st.text(max_size=60))
def test_any_cell_is_a_time_or_told_in_one_printable_line(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "late.csv"
    cell = text.replace('"', '""')
    path.write_text(
        f'student,assignment,submitted\ns1,a,"{cell}"\n',
        encoding="utf-8",
        errors="replace",
        newline="",
    )
    told = "s1"
    try:
        found = set(read_times(path, "submitted", UTC))
    except PolicyError as error:
        found, told = {("s1", "a")}, str(error)
    assert found == {("s1", "a")} and told.isprintable()


def test_a_template_is_read_back(read):
    found = read(template(["s1", "s2"], "a"))
    assert {key: said.when for key, said in found.items()} == {
        ("s1", "a"): None,
        ("s2", "a"): None,
    }


@pytest.mark.parametrize("text", ["12", "Mon", "15:00", "2026-11-20 15:00:00 /etc/localtime"])
def test_half_a_time_is_not_made_whole_by_the_day_on_which_it_is_read(tmp_path, text):
    (tmp_path / TIMESTAMP).write_text(text)
    with pytest.raises(TimeError, match="no time like"):
        submitted_at(tmp_path, tmp_path)


def test_a_time_is_read_from_no_link_and_no_pipe(tmp_path):
    assert submitted_at(tmp_path, tmp_path) is None
    (tmp_path / "there.txt").write_text("2026-11-20 15:00:00 UTC")
    (tmp_path / TIMESTAMP).symlink_to("there.txt")
    with pytest.raises(TimeError, match="is no regular file"):
        submitted_at(tmp_path, tmp_path)
    (tmp_path / TIMESTAMP).unlink()
    os.mkfifo(tmp_path / TIMESTAMP)
    with pytest.raises(TimeError, match="is no regular file"):
        submitted_at(tmp_path, tmp_path)
