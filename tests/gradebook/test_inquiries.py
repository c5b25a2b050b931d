"""When a course takes inquiries, and what is read of its records."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec
import pytest
from inquired import NOON, SHEET, decision
from traitlets.config import Config

from autograder import AutograderError
from autograder.gradebook.inquiries import (
    Inquiry,
    read_inquiries,
    record_inquiry,
    window_of,
)

ONE = Inquiry("ada", "explain", "Why?", NOON)


def window(zone: str = "Europe/Berlin", **settings):
    return window_of(Config(Inquiries=settings, LatePolicy={"timezone": zone}), SHEET)


def test_times_are_read_in_the_courses_zone_and_said_in_it():
    one = window(opens={SHEET: "2026-12-01 12:00"}, closes={SHEET: "2026-12-08 18:00+02:00"})
    assert one.opens == datetime(2026, 12, 1, 11, tzinfo=UTC)
    assert one.limits == "from 2026-12-01 12:00 CET until 2026-12-08 17:00 CET"
    assert one.has(one.opens) and not one.has(one.closes)


def test_without_settings_there_is_no_limit_and_nothing_to_say():
    assert window().limits == "" and window().has(NOON)
    other = window(closes={"another-sheet": "2020-01-01 00:00"})
    assert other.limits == "" and other.has(NOON)
    assert window(closes={SHEET: "2027-01-01 00:00"}).has(NOON)
    assert not window(opens={SHEET: "2027-01-01 00:00"}).has(NOON)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"opens": {SHEET: "soon"}}, "2026-11-30 18:00"),
        ({"opens": "2026-11-30"}, "cannot be used"),
        ({"open": {}}, "has no setting `open`"),
        (
            {"opens": {SHEET: "2026-12-08 18:00"}, "closes": {SHEET: "2026-12-01 18:00"}},
            "before it opens",
        ),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(settings, why):
    with pytest.raises(AutograderError, match="c.Inquiries") as refused:
        window(**settings)
    assert why in str(refused.value)


def test_the_last_record_counts_and_a_decision_that_was_begun_is_none(tmp_path):
    results = tmp_path / "results"
    record_inquiry(results, SHEET, ONE)
    begun = Inquiry("ada", "explain", "Why?", NOON, decision(1, 2, entered=False))
    record_inquiry(results, SHEET, begun)
    assert read_inquiries(results, SHEET) == {ONE.name: begun} and begun.answer is None
    other = Inquiry("ben", "softmax", "Why?\n2028", NOON, decision(1, 1))
    record_inquiry(results, SHEET, other)
    assert read_inquiries(results, SHEET) == {ONE.name: begun, other.name: other}
    assert other.answer == other.decision


def test_inquiries_of_an_earlier_version_are_imported_and_a_damaged_line_loses_no_other(tmp_path):
    answered = Inquiry("ada", "explain", "Why?", NOON, decision(1, 2))
    file = tmp_path / "results" / SHEET / "inquiries.jsonl"
    file.parent.mkdir(parents=True)
    lines = [msgspec.json.encode(one).decode() for one in (ONE, answered)]
    file.write_text("\n".join([lines[0], '{"student": "ada", "exercise": "expl', lines[1]]))
    for _ in range(2):
        assert read_inquiries(tmp_path / "results", SHEET) == {ONE.name: answered}
    assert not file.exists()


def test_what_is_received_by_two_at_once_keeps_the_answer_that_one_has(tmp_path):
    answered = Inquiry("ada", "explain", "Why?", NOON, decision(1, 2))
    results = tmp_path / "results"
    for one in (ONE, answered, ONE):
        record_inquiry(results, SHEET, one)
    assert read_inquiries(results, SHEET) == {ONE.name: answered}


def test_a_link_to_other_records_is_not_followed(tmp_path):
    elsewhere = tmp_path / "inquiries.jsonl"
    elsewhere.write_bytes(msgspec.json.encode(ONE))
    (tmp_path / "results" / SHEET).mkdir(parents=True)
    (tmp_path / "results" / SHEET / "inquiries.jsonl").symlink_to(elsewhere)
    with pytest.raises(OSError, match="no regular file"):
        read_inquiries(tmp_path / "results", SHEET)


def test_an_outcome_is_said_with_both_points():
    assert decision(1, 1.5).outcome == "changed from 1 to 1.5 of 2 points"
    assert decision(1, 1 + 1e-9).outcome == "kept at 1 of 2 points"
    said = decision(1, 2).sentence(ZoneInfo("Europe/Berlin"))
    assert said.endswith("by Lee on 2026-12-01 13:00 CET: So <b>it</b> is.")
