"""A submission's time, told by a clock of the test's own: sleeping cells, slow answers, lost candidates."""

from collections.abc import Collection
from types import SimpleNamespace

import pytest

from autograder.engine.candidate import channel as channels
from autograder.engine.candidate.channel import ChannelClosed, Deadline, DeadlinePassed
from autograder.engine.examiner import Clock, Supervisor
from autograder.engine.examiner.faults import CandidateLost
from autograder.engine.examiner.question import Question
from autograder.engine.limits import Limits
from autograder.engine.limits.process import Usage

FOREVER = 1e9
LIMITS = Limits()


class SlowCandidate:
    """A candidate, its channel and its source in one: each cell and question takes so many seconds."""

    level, why = "namespaces", ""

    def __init__(self, seconds: dict[str, float]):
        self.seconds = seconds
        self.now = 0.0
        self.started = 0
        self.ran: list[str] = []  # by the candidate that lives
        self.channel = self

    def start(self, limits: Limits, needs: Collection[str] = ()) -> "SlowCandidate":
        self.started += 1
        self.ran = []
        return self

    def end(self) -> None:
        self.ran = []

    measured = True

    def usage(self) -> Usage:
        return Usage(self.now)

    def ran_out_of_cpu(self) -> bool:
        return False

    def send(self, message: dict, deadline: Deadline) -> None:
        self._take(0.0, deadline)
        self.token = message["token"]
        ((self.operation, arguments),) = message["steps"]
        self.name = arguments["cell" if self.operation == "run" else "name"]

    def receive(self, deadline: Deadline, most: int) -> dict:
        seconds = self.seconds.get(self.name, 0.01)
        if seconds < 0:
            raise ChannelClosed("the other side closed the channel")
        self._take(seconds, deadline)
        if self.operation == "run":
            self.ran.append(self.name)
            return {"value": {"outputs": [], "fault": None}, "token": self.token}
        return {"value": self.name, "token": self.token}

    def _take(self, seconds: float, deadline: Deadline) -> None:
        end = self.now + seconds
        while (left := deadline()) > 0:
            self.now = min(self.now + left, end)
            if self.now == end:
                return
        raise DeadlinePassed("the deadline passed")


@pytest.fixture
def examined(monkeypatch):
    """A supervisor of a submission with these cells; `ask` and cells take so many seconds."""

    def make(*cells: str, **seconds: float) -> tuple[Supervisor, SlowCandidate]:
        source = SlowCandidate(seconds)
        monkeypatch.setattr(channels, "time", SimpleNamespace(monotonic=lambda: source.now))
        submission = SimpleNamespace(
            runs=[_cell(name) for name in cells], needs=set(), answers={}, before_checks={}
        )
        return Supervisor(source, Clock(LIMITS), submission), source

    return make


def _cell(name: str) -> SimpleNamespace:
    return SimpleNamespace(id=name, source="", provided=name == "imports")


def _value(supervisor: Supervisor, name: object) -> str:
    answer = supervisor.ask(Question([("value", {"name": name})]))
    return answer.value


def ask(supervisor: Supervisor, name: str) -> str:
    """Ask; return the answer, or the state in which the candidate was lost."""
    try:
        return _value(supervisor, name)
    except CandidateLost as lost:
        return lost.state


SIX = "one", "two", "three", "four", "five", "six"


def test_six_sleeping_cells_take_less_than_half_of_the_time_and_leave_the_seventh_its_answers(
    examined,
):
    supervisor, source = examined("imports", *SIX, "seven", **dict.fromkeys(SIX, FOREVER))
    supervisor.run_cells()
    assert supervisor.fatal == dict.fromkeys(SIX, "timed_out")
    assert source.ran == ["imports", "seven"] and source.now < LIMITS.total_seconds / 2
    supervisor.begin_exercise("")
    assert ask(supervisor, "seven") == "seven"


def test_a_slow_cell_does_not_take_the_time_of_those_beside_it_when_candidates_are_lost(examined):
    supervisor, source = examined("one", "two", one=8.0, ends=-1)
    for _ in range(4):
        assert ask(supervisor, "ends") == "crashed"
    assert ask(supervisor, "two") == "two"
    assert supervisor.fatal == {"one": "timed_out"} and source.ran == ["two"]


def test_when_the_time_of_cells_is_up_one_that_is_late_takes_the_slow_ones_with_it(examined):
    supervisor, source = examined("one", "two", "three", one=1.5, two=1.5, ends=-1)
    for _ in range(11):
        assert ask(supervisor, "ends") == "crashed"
    assert supervisor.fatal == {}
    source.seconds["two"] = 5.0
    assert ask(supervisor, "three") == "three" and source.ran == ["three"]
    assert supervisor.fatal == {"one": "timed_out", "two": "timed_out"}


def test_an_exercise_whose_every_answer_is_slow_has_its_share_and_no_more(examined):
    supervisor, source = examined(*SIX, slow=4.0)
    supervisor.begin_exercise("")
    answers = [ask(supervisor, "slow") for _ in range(5)]
    assert answers == ["slow", "slow", "timed_out", "timed_out", "timed_out"]
    assert source.now < LIMITS.exercise_seconds + 1
    supervisor.begin_exercise("")
    assert ask(supervisor, "six") == "six"


def test_when_all_time_is_up_no_candidate_is_started_any_more(examined):
    supervisor, source = examined("one")
    ask(supervisor, "one")
    supervisor.end()
    supervisor.clock.left = 0.0
    assert ask(supervisor, "one") == "timed_out" and source.started == 1


def test_a_provided_cell_has_its_time_whatever_was_late_before(examined):
    """Else a slow machine and a hostile submission make a fault of ours."""
    supervisor, source = examined("imports", *SIX, imports=3.0, **dict.fromkeys(SIX, FOREVER))
    supervisor.run_cells()
    assert supervisor.fatal == dict.fromkeys(SIX, "timed_out") and source.ran == ["imports"]
