"""The time of one submission: what is slow leaves the others theirs, and waiting is nobody's time."""

from types import SimpleNamespace

import pytest

from autograder.engine import SandboxError
from autograder.engine.candidate import channel as channels
from autograder.engine.examiner import Clock
from autograder.engine.examiner.clock import LEAST_SECONDS, Allowance
from autograder.engine.limits import Limits
from autograder.engine.limits.process import SLOWDOWN, Thread, Usage

LIMITS = Limits(
    cell_seconds=10, cells_seconds=30, request_seconds=5, exercise_seconds=10, exercises_seconds=60
)


class Machine:
    """A candidate on a machine: what passes on the wall's clock, and what it had of that."""

    measured = True

    def __init__(self) -> None:
        self.used = Usage(0.0)

    def usage(self) -> Usage:
        return self.used

    def passes(
        self,
        seconds: float,
        cpu: float = 0.0,
        waited: float = 0.0,
        ours: float = 0.0,
        turns: int = 1,
        work: float = 0.0,
        thread: int = 1,
    ) -> None:
        had = self.used
        before = had.threads.get(thread, Thread())
        self.used = Usage(
            had.wall + seconds,
            had.cpu + cpu,
            {**had.threads, thread: Thread(before.waited + waited, before.turns + turns)},
            had.ours + ours,
            had.work + work,
        )

    def let_use(self, allowance: Allowance, share: float = 1.0) -> float:
        """Let it use its share of each moment to the end; return the seconds of wall that passed."""
        begin = self.used.wall
        with allowance:
            while (left := allowance()) > 0:
                self.passes(left, cpu=share * left, waited=(1 - share) * left)
        return self.used.wall - begin


@pytest.fixture
def machine(monkeypatch) -> Machine:
    machine = Machine()
    time = SimpleNamespace(monotonic=lambda: machine.used.wall)
    monkeypatch.setattr(channels, "time", time)
    return machine


def test_a_cell_and_a_request_have_their_own_limits(machine):
    clock = Clock(LIMITS)
    assert machine.let_use(clock.cell(machine)) == 10
    assert machine.let_use(clock.request(machine)) == 5


@pytest.mark.parametrize("share", [1, 0.5, 1 / 13])
def test_who_waits_for_a_processor_has_all_of_its_time(machine, share):
    allowance = Clock(LIMITS).request(machine)
    assert machine.let_use(allowance, share) == pytest.approx(5 / share, rel=0.01)
    assert allowance.used == pytest.approx(5, rel=0.01)


def test_the_examiners_time_is_not_the_students(machine):
    with Clock(LIMITS).request(machine) as allowance:
        machine.passes(60, ours=59)
        assert allowance() == pytest.approx(4)


def test_what_the_examiner_works_for_it_counts_against_a_limit(machine):
    """Whoever asks and asks makes the examiner work, and itself hardly anything."""
    with Clock(LIMITS).request(machine) as allowance:
        machine.passes(60, ours=60, work=4)
        assert allowance() == pytest.approx(1)
        machine.passes(60, ours=60, work=2)
        assert allowance() <= 0


def test_a_main_thread_that_waits_for_another_waits_with_it(machine):
    with Clock(LIMITS).request(machine) as allowance:
        machine.passes(60, cpu=1, waited=59, thread=2)
        assert allowance() == pytest.approx(4)


def test_threads_that_wait_for_each_other_use_what_they_run(machine):
    """The main thread waits for the others: it is their CPU that counts."""
    with Clock(LIMITS).request(machine) as allowance:
        machine.passes(6, cpu=6, waited=5.9)
        assert allowance() <= 0


def test_who_sleeps_uses_the_time_that_passes(machine):
    with Clock(LIMITS).request(machine) as allowance:
        machine.passes(6)
        assert allowance() <= 0


def test_a_candidate_that_gets_nothing_is_no_students_fault(machine):
    with pytest.raises(SandboxError, match="too much else to do"):
        machine.let_use(Clock(LIMITS).request(machine), share=0.5 / SLOWDOWN)


def test_who_gives_way_without_end_is_late_by_its_own_doing(machine):
    """On a busy machine, naps are longer than asked for, and nothing of the time is used."""
    with Clock(LIMITS).request(machine) as allowance:
        machine.passes(5 * SLOWDOWN, cpu=1, waited=5 * SLOWDOWN - 2, turns=50_000)
        assert allowance() <= 0


def test_a_machine_on_which_nothing_gets_done_ends_all_attempts(machine):
    clock = Clock(LIMITS, backstop=lambda: 0.0)
    with pytest.raises(SandboxError, match="too much else to do"), clock.request(machine):
        pass


def test_cells_have_a_time_for_all_of_them_and_never_less_than_a_moment(machine):
    clock = Clock(LIMITS)
    taken = [machine.let_use(clock.cell(machine)) for _ in range(5)]
    assert taken == [10, 10, 10, LEAST_SECONDS, LEAST_SECONDS]


def test_a_provided_cell_has_its_time_whatever_others_took(machine):
    clock = Clock(LIMITS)
    for _ in range(4):
        machine.let_use(clock.cell(machine))
    assert machine.let_use(clock.provided_cell(machine)) == 10


@pytest.mark.parametrize(("exercises", "seconds"), [(1, 10), (6, 10), (9, 60 / 9)])
def test_each_exercise_has_the_same_time_whatever_the_others_took(machine, exercises, seconds):
    clock = Clock(LIMITS, exercises)
    for _ in range(exercises):
        clock.begin_exercise()
        begin = machine.used.wall
        while not clock.is_up:
            machine.let_use(clock.request(machine))
        assert machine.used.wall - begin == pytest.approx(seconds, rel=0.01)


def test_when_all_time_is_up_nothing_has_any(machine):
    clock = Clock(LIMITS)
    while not clock.is_up:
        machine.let_use(clock.cell(machine))
    assert machine.used.wall == 90 and machine.let_use(clock.request(machine)) == 0
