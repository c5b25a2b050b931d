"""The budget of a search counts CPU, and no time that passes."""

from types import SimpleNamespace

import pytest

from autograder.mistakes import budget as clocks
from autograder.mistakes.budget import CpuBudget, OutOfTime


@pytest.fixture
def time(monkeypatch) -> SimpleNamespace:
    """The time, and the CPU that this thread has had of it."""
    time = SimpleNamespace(now=100.0, cpu=7.0)
    reads = SimpleNamespace(monotonic=lambda: time.now, thread_time=lambda: time.cpu)
    monkeypatch.setattr(clocks, "time", reads)
    return time


def pass_by(time: SimpleNamespace, seconds: float, cpu: float) -> None:
    time.now += seconds
    time.cpu += cpu


def test_its_time_is_up_when_the_cpu_is_used(time):
    budget = CpuBudget(10)
    pass_by(time, 10, cpu=10)
    with pytest.raises(OutOfTime):
        budget.check()


def test_on_a_busy_machine_it_runs_on(time):
    budget = CpuBudget(10)
    for _ in range(9):
        pass_by(time, 10, cpu=1)
        budget.check()
    pass_by(time, 10, cpu=1)
    with pytest.raises(OutOfTime):
        budget.check()


def test_without_a_limit_it_is_never_up(time):
    budget = CpuBudget()
    pass_by(time, 1e9, cpu=1e9)
    budget.check()
