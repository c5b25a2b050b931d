"""How long those who wait will wait: what is said, when nothing is said, and how right it is."""

import heapq
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.classroom.pace import (
    ENOUGH,
    LARGEST_SHARE,
    NowAndThen,
    Pace,
    duration_words,
    queue_words,
)


class Clock:
    """Seconds, as a test says."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "about a minute"),
        (61, "about 2 minutes"),
        (600, "about 10 minutes"),
        (601, "about 15 minutes"),
        (55 * 60, "about 55 minutes"),
        (56 * 60, "about 1 hour"),
        (61 * 60, "about 1½ hours"),
        (7200, "about 2 hours"),
        (7201, "about 2½ hours"),
    ],
)
def test_a_time_is_rounded_up_to_what_can_be_known(seconds, words):
    assert duration_words(seconds) == words


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_more_seconds_are_never_told_as_fewer(one, other):
    def told(seconds: float) -> float:
        number, unit = duration_words(seconds).removeprefix("about ").split()
        value = {"a": 1.0}.get(number) or float(number.replace("½", ".5"))
        return value * (60 if "hour" in unit else 1)

    assert (told(one) <= told(other)) or one > other
    assert told(one) * 60 >= one


def test_nothing_is_claimed_before_there_are_a_few_verdicts(clock):
    pace = Pace(clock)
    for _ in range(ENOUGH):  # the first one only starts the clock
        assert queue_words(7, 2, pace) == "7 wait: no estimate yet"
        clock.now += 80
        pace.note(1, waiting=7)
    clock.now += 80
    pace.note(1, waiting=7)
    assert queue_words(7, 2, pace) == "7 wait: about 15 minutes"  # 9 of 80 seconds
    assert queue_words(1, 0, pace) == "1 waits: about 2 minutes"
    assert queue_words(0, 2, pace) == "2 being graded, nobody waits"
    assert queue_words(0, 0, pace) == "nobody waits"


def test_the_time_in_which_nobody_waited_does_not_count(clock):
    pace = Pace(clock)
    for _ in range(4):
        for _ in range(3):
            clock.now += 10
            pace.note(1, waiting=5)
        clock.now += 10
        pace.note(1, waiting=0)
        clock.now += 3600
        pace.note(0, waiting=5)  # others arrive; workers were idle until now
    assert pace.seconds(1) == 10


def test_verdicts_on_identical_submissions_count_each(clock):
    pace = Pace(clock)
    pace.note(1, waiting=30)
    clock.now += 30
    pace.note(10, waiting=20)
    assert pace.seconds(1) == 3


def test_a_long_silence_makes_the_estimate_longer(clock):
    pace = Pace(clock)
    for _ in range(10):
        pace.note(1, waiting=5)
        clock.now += 1
    before = pace.seconds(5)
    clock.now += 60
    assert pace.seconds(5) > 5 * before


def test_work_now_and_then_takes_a_small_share_of_the_time(clock):
    times = []

    def work() -> None:
        times.append(clock.now)
        clock.now += 10

    regularly = NowAndThen(work, 2.0, clock)
    for _ in range(10_000):
        regularly.do_if_due()
        clock.now += 0.1
    assert len(times) * 10 / clock.now == pytest.approx(LARGEST_SHARE, rel=0.1)


def test_work_that_fails_is_not_tried_again_at_once(clock):
    def work() -> None:
        raise OSError("full")

    regularly = NowAndThen(work, 2.0, clock)
    with pytest.raises(OSError, match="full"):
        regularly.do_if_due()
    regularly.do_if_due()
    clock.now += 2
    with pytest.raises(OSError, match="full"):
        regularly.do_if_due()


def rush(seed: int, students: int, seconds: float, workers: int) -> list[tuple[float, float]]:
    """A class that hands in towards a deadline, on simulated clocks; what was estimated at each verdict
    beside how long it then really took until the last of those who waited had theirs.
    """
    chance, clock = random.Random(seed), Clock()
    pace = Pace(clock)
    arrivals = sorted(chance.betavariate(2.5, 1) * seconds for _ in range(students))
    free, ends = workers, []  # ends: of what is being graded
    waiting, done, told = 0, [], []
    while arrivals or ends:
        clock.now = min(arrivals[:1] + ends[:1])
        if arrivals and clock.now == arrivals[0]:
            arrivals.pop(0)
            waiting += 1
            pace.note(0, waiting)
        else:
            heapq.heappop(ends)
            done.append(clock.now)
            free += 1
            pace.note(1, waiting)
            if waiting:
                graded_now = waiting + len(ends)
                told.append((clock.now, len(done) + graded_now, pace.seconds(graded_now)))
        while free and waiting:
            free, waiting = free - 1, waiting - 1
            slow = chance.random() < 0.02  # runs into a time limit
            heapq.heappush(ends, clock.now + (40 if slow else chance.lognormvariate(0.5, 0.5)))
    return [(said, done[last - 1] - now) for now, last, said in told if said is not None]


@pytest.mark.parametrize("workers", [2, 8])
def test_in_a_rush_the_estimate_is_about_right(workers):
    pairs = [pair for seed in range(3) for pair in rush(seed, 750 * workers, 900, workers)]
    long = [(said, truth) for said, truth in pairs if truth > 120]
    assert len(long) > 500
    errors = [abs(said - truth) / truth for said, truth in long]
    assert statistics.median(errors) < 0.2
    assert 0.85 < statistics.mean(said / truth for said, truth in long) < 1.15
