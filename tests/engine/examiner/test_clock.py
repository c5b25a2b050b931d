"""Deadlines of one submission: what is slow leaves the others their time."""

from types import SimpleNamespace

import pytest

from autograder.engine.examiner import clock as clocks
from autograder.engine.examiner.clock import LEAST_SECONDS, Clock
from autograder.engine.process import Limits

LIMITS = Limits(
    cell_seconds=10,
    request_seconds=5,
    exercise_seconds=10,
    diagnosis_seconds=10,
    total_seconds=60,
)


@pytest.fixture
def now(monkeypatch) -> SimpleNamespace:
    """The time, in `seconds`: a test sets it."""
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


@pytest.fixture
def clock(now) -> Clock:
    clock = Clock(LIMITS)
    clock.start()
    return clock


def test_it_starts_once(clock, now):
    now.seconds += 40
    clock.start()
    assert clock.end == 1050 and not clock.is_up
    now.seconds += 10
    assert clock.is_up


def test_a_cell_and_a_request_have_their_own_limits(clock):
    assert clock.cell_deadline() == 1010 and clock.request_deadline() == 1005


def test_what_was_late_is_waited_for_half_as_long_and_never_less_than_a_moment(clock):
    waited = []
    for clock.late in range(5):
        waited.append(clock.cell_deadline() - 1000)
    assert waited == [10, 5, 2.5, LEAST_SECONDS, LEAST_SECONDS]


def test_nothing_is_waited_for_beyond_the_end(clock, now):
    now.seconds = 1049
    assert clock.cell_deadline() == clock.request_deadline() == 1050


def test_cells_leave_half_of_the_time(clock, now):
    for _ in range(3):
        now.seconds += 9
        clock.add_cells(9)
    assert clock.cell_deadline() == now.seconds + 3
    clock.add_cells(3)
    assert clock.cell_deadline() == now.seconds + LEAST_SECONDS


def test_an_exercise_has_its_share_of_what_is_left(clock, now):
    now.seconds += 30  # of 50
    clock.begin_exercise(5)
    clock.request_deadline()
    assert clock.exercise_end == now.seconds + 20 / 5
    now.seconds += 4
    assert clock.is_up
    clock.begin_exercise(4)
    assert not clock.is_up
    clock.request_deadline()
    assert clock.exercise_end == now.seconds + 16 / 4


def test_with_much_time_left_an_exercise_has_its_limit_and_no_more(clock):
    clock.begin_exercise(2)
    clock.request_deadline()
    assert clock.exercise_end == 1010


def test_cells_that_run_again_are_not_the_exercises_time(clock, now):
    clock.begin_exercise(2)
    clock.request_deadline()
    now.seconds += 9
    clock.add_cells(9)
    assert clock.exercise_end == now.seconds + 10


def test_questions_leave_the_diagnosis_its_time(clock):
    assert clock.end == 1050 and clock.diagnosis_end == 1060


def test_exercises_that_are_all_late_take_less_than_the_whole_time(clock, now):
    """Five exercises in which every question is slow: each costs half of the one before."""
    begin = now.seconds
    for left in range(5, 0, -1):
        clock.begin_exercise(left)
        now.seconds = clock.request_deadline()
        clock.late += 1
    assert now.seconds - begin == 5 + 2.5 + 3 * LEAST_SECONDS
