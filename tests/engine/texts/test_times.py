"""Times are read as platforms write them, and always have a zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.utils import parse_utc

from autograder.engine.files import TIMESTAMP, read_timestamp
from autograder.engine.texts import parse_time, time_text, timestamp_text


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-11-20 15:00:00.123456 UTC", 15),
        ("2026-11-20 15:00:00 CET", 14),
        ("2026-11-20 15:00:00 Europe/Berlin", 14),
        ("2026-11-20T15:00:00+02:00", 13),
        ("2026-11-20 15_00_00.5", 15),
    ],
)
def test_times_are_read_as_nbgrader_and_gradescope_write_them(text, hour):
    assert parse_time(text).astimezone(UTC).replace(microsecond=0).hour == hour


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_is_stamped_is_read_back_here_and_by_nbgrader(when):
    whole = when.replace(microsecond=0)
    assert parse_time(timestamp_text(when)) == whole
    assert parse_utc(timestamp_text(when)) == whole.replace(tzinfo=None)


NO_TIME = [
    "",
    "12",
    "Mon",
    "15:00",
    "now",
    "2026",
    "2026-11",
    "2026-02-30 15:00",
    "2026-11-20 25:00",
]
NO_TIME += [
    "0000-01-01 00:00:00",
    "2026-11-20 15:00:00 /etc/localtime",
    "2026-11-20 15:00:00 ../UTC",
]


@pytest.mark.parametrize("text", NO_TIME)
def test_half_a_time_and_a_path_are_none(text):
    assert parse_time(text) is None


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_none(text):
    assert parse_time(text) is None or parse_time(text).tzinfo is not None


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"2026-11-20 15:00:00 UTC\n", "2026-11-20 15:00:00 UTC"),
        (b"2026-11-20 15:00:00 UTC\r\nand more\n", "2026-11-20 15:00:00 UTC"),
        (b"\xff\n", "\ufffd"),
        (b"", ""),
        (b"1" * 201, ""),
    ],
)
def test_a_timestamp_is_the_first_line_of_a_short_file(content, text, tmp_path):
    (tmp_path / TIMESTAMP).write_bytes(content)
    assert read_timestamp(tmp_path, tmp_path) == text


def test_a_time_is_said_in_a_zone_and_one_without_is_utc():
    berlin = ZoneInfo("Europe/Berlin")
    assert time_text(datetime(2026, 11, 20, 15, 0)) == "2026-11-20 15:00 UTC"
    assert time_text(datetime(2026, 11, 20, 15, 0), berlin) == "2026-11-20 16:00 CET"
    assert time_text(datetime(2026, 7, 20, 16, 0, tzinfo=berlin)) == "2026-07-20 14:00 UTC"
    assert time_text(datetime.max, berlin) == "9999-12-31 23:59 UTC"


def test_a_time_is_read_as_it_is_said_also_in_the_hour_that_occurs_twice():
    berlin = ZoneInfo("Europe/Berlin")
    for hour in (0, 1):
        when = datetime(2026, 10, 25, hour, 30, tzinfo=UTC)
        assert time_text(when, berlin)[:16] == "2026-10-25 02:30"
        assert parse_time(time_text(when, berlin), berlin).astimezone(UTC) == when
