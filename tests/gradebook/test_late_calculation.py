"""How a penalty was calculated is said where it still is what the policy says."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from traitlets.config import Config

from autograder.gradebook.late import LatePolicy
from autograder.gradebook.late_calculation import Entered, late_calculation

DUE = datetime(2026, 11, 10, 18)
LATE = Entered("ada", "sheet", datetime(2026, 11, 12, 9, 30), DUE, None, 28.0, 5.6)


@pytest.fixture
def policy():
    return LatePolicy(config=Config({"LatePolicy": {"percent_per_day": 10.0}}))


def test_times_days_and_points_are_in_the_sentence(policy, tmp_path):
    assert late_calculation(LATE, policy, tmp_path) == (
        "Handed in on 2026-11-12 09:30 UTC, due on 2026-11-10 18:00 UTC: 2 days begun, "
        "10 % of 28 points each."
    )


def test_an_extension_moves_the_due_date(policy, tmp_path):
    (tmp_path / "extensions.csv").write_text("student,assignment,until\nada,sheet,2026-11-11\n")
    extended = replace(LATE, penalty=2.8)
    assert "due on 2026-11-12 00:00 UTC: 1 day begun" in late_calculation(
        extended, policy, tmp_path
    )
    by_hand = replace(LATE, student="ben", extended=timedelta(days=1), penalty=2.8)
    assert "due on 2026-11-11 18:00 UTC: 1 day begun" in late_calculation(by_hand, policy, tmp_path)


def test_the_most_that_is_taken_is_said(policy, tmp_path):
    policy.most_percent = 15.0
    said = late_calculation(replace(LATE, penalty=4.2), policy, tmp_path)
    assert said.endswith("10 % of 28 points each, 15 % at most.")


@pytest.mark.parametrize("change", [{"penalty": 0.0}, {"penalty": 3.0}, {"due": None}])
def test_nothing_is_said_of_what_the_policy_does_not_explain(policy, tmp_path, change):
    assert late_calculation(replace(LATE, **change), policy, tmp_path) == ""


def test_a_damaged_file_of_extensions_explains_nothing(policy, tmp_path):
    (tmp_path / "extensions.csv").write_text("who,what\nada,sheet\n")
    assert late_calculation(LATE, policy, tmp_path) == ""
