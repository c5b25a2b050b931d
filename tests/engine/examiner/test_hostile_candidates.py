"""The supervisor against candidates that keep to no rule: scripted ones, which need no walls."""

import socket
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import pytest
import torch

from autograder.engine import SandboxError, Submission
from autograder.engine.candidate.channel import Channel
from autograder.engine.candidate.frames import ChannelError
from autograder.engine.candidate.known import MAX_COMPUTED
from autograder.engine.examiner import Clock, Supervisor
from autograder.engine.examiner.faults import CandidateFault, CandidateLost
from autograder.engine.examiner.question import Question
from autograder.engine.examiner.supervisor import MAX_ANSWER, MAX_CANDIDATES
from autograder.engine.limits import Limits
from autograder.engine.limits.process import Usage
from autograder.engine.notebooks import Cell

PATIENT = Limits(cell_seconds=30, request_seconds=30)
Script = Callable[[Channel, dict], object]


@dataclass
class ScriptedProcess:
    channel: Channel
    theirs: Channel
    measured = True

    def usage(self) -> Usage:
        return Usage(time.monotonic())

    def ran_out_of_cpu(self) -> bool:
        return False

    def end(self) -> None:
        self.channel.close()


@dataclass
class Scripted:
    """A source of candidates that answer each question with what a script returns."""

    script: Script
    started: list[ScriptedProcess] = field(default_factory=list)
    level, why = "namespaces", ""

    def start(self, limits: Limits, needs: Collection[str] = ()) -> ScriptedProcess:
        ours, theirs = map(Channel, socket.socketpair())
        process = ScriptedProcess(ours, theirs)
        self.started.append(process)
        threading.Thread(target=self._serve, args=(theirs,), daemon=True).start()
        return process

    def close(self) -> None:
        pass

    def _serve(self, channel: Channel) -> None:
        try:
            while True:
                question = channel.receive()
                message = self.script(channel, question)
                channel.send({"token": question["token"], **message})
        except (ChannelError, ConnectionError):
            channel.close()


@pytest.fixture
def supervised():
    """A supervisor of candidates that follow a script."""
    made: list[Supervisor] = []

    def supervise(script: Script, limits: Limits = PATIENT, *cells: Cell) -> Supervisor:
        made.append(Supervisor(Scripted(script), Clock(limits), Submission(list(cells))))
        return made[-1]

    yield supervise
    for supervisor in made:
        supervisor.end()
        for process in supervisor.source.started:
            process.theirs.close()


def leave(channel: Channel, question: dict) -> object:
    raise ConnectionError


def ask(supervisor: Supervisor, operation: str, arguments: dict, compute=None) -> object:
    answer = supervisor.ask(Question([(operation, arguments)]), compute)
    if answer.fault:
        raise answer.fault
    return answer.value


def test_an_answer_is_the_one_with_the_questions_token(supervised):
    assert ask(supervised(lambda *_: {"value": 7}), "value", {}) == 7
    for token in ("", "another", None):
        liar = supervised(lambda *_, token=token: {"value": 7, "token": token})
        with pytest.raises(CandidateLost) as lost:
            ask(liar, "value", {})
        assert lost.value.state == "crashed"


def test_every_question_has_a_token_that_nobody_can_guess(supervised):
    tokens: list[str] = []
    supervisor = supervised(lambda _, question: tokens.append(question["token"]) or {"value": 1})
    for _ in range(20):
        ask(supervisor, "value", {})
    assert len(set(tokens)) == 20 and min(map(len, tokens)) >= 16


def test_played_functions_ask_only_so_often_in_one_question(supervised):
    computed: list[object] = []
    replies: list[dict] = []

    def ask_without_end(channel: Channel, question: dict) -> object:
        for number in range(2 * MAX_COMPUTED + 5):
            channel.send({"ask": number, "token": question["token"]})
            replies.append(channel.receive())
        return {"value": 7}

    supervisor = supervised(ask_without_end)
    with pytest.raises(CandidateLost) as lost:
        ask(supervisor, "call", {}, compute=computed.append)
    assert lost.value.state == "crashed" and computed == list(range(MAX_COMPUTED))
    refused = replies[MAX_COMPUTED:]
    assert refused and all(reply == {"refused": "asked_too_often"} for reply in refused)


def test_what_a_played_function_cannot_work_with_is_refused_and_no_fault_of_ours(supervised):
    def ask_once(channel: Channel, question: dict) -> object:
        channel.send({"ask": 1, "token": question["token"]})
        return {"value": channel.receive()}

    def break_down(asked: object) -> object:
        raise ZeroDivisionError

    supervisor = supervised(ask_once)
    assert ask(supervisor, "call", {}, compute=break_down) == {"refused": "refused"}
    with pytest.raises(CandidateLost):
        ask(supervisor, "call", {})  # where nothing can be asked


def test_a_submission_has_only_so_many_candidates(supervised):
    supervisor = supervised(leave)
    states = []
    for _ in range(MAX_CANDIDATES + 5):
        with pytest.raises(CandidateLost) as lost:
            ask(supervisor, "value", {})
        states.append(lost.value.state)
    assert set(states) == {"crashed"} and len(supervisor.source.started) == MAX_CANDIDATES


def test_an_answer_has_a_largest_size_and_a_cells_pictures_a_larger(supervised):
    large = torch.zeros(MAX_ANSWER + 1, dtype=torch.uint8)
    with pytest.raises(CandidateLost) as lost:
        ask(supervised(lambda *_: {"value": large}), "value", {})
    assert lost.value.state == "crashed"
    shown = {"kind": "display", "data": {"image/png": bytes(MAX_ANSWER + 1)}}
    cell = Cell("cell", "code", "print()")
    painter = supervised(lambda *_: {"value": {"outputs": [shown], "fault": None}}, PATIENT, cell)
    painter.run_cells()
    assert painter.outputs == {"cell": [shown]} and painter.fatal == {}


@pytest.mark.parametrize(
    "answer",
    [
        {"value": None},
        {"value": {"outputs": 7, "fault": None}},
        {"value": {"outputs": []}},
        {"value": {"outputs": [], "fault": "why"}},
        {"value": {"outputs": [{"kind": "display", "data": {"text/html": b"x"}}], "fault": None}},
        {"ask": 1},
        {},
    ],
)
def test_a_cells_answer_of_another_form_is_nonsense(supervised, answer):
    supervisor = supervised(lambda *_: answer, PATIENT, Cell("own", "code", "1"))
    supervisor.run_cells()
    assert supervisor.fatal == {"own": "crashed"} and supervisor.outputs.get("own", []) == []


def test_outputs_have_room_for_so_much_in_all_cells_together(supervised):
    shown = {"kind": "stream", "name": "stdout", "text": bytes(1000)}
    cells = [Cell(name, "code", "1") for name in "abc"]
    supervisor = supervised(
        lambda *_: {"value": {"outputs": [shown], "fault": None}}, PATIENT, *cells
    )
    supervisor.room = 2500
    supervisor.run_cells()
    assert [len(outputs) for outputs in supervisor.outputs.values()] == [1, 1, 0]


def test_a_fault_is_told_in_our_words_and_memory_ends_the_candidate(supervised):
    fault = {"kind": "raised", "type": "a secret", "text": "a secret", "cell": None, "line": None}
    supervisor = supervised(lambda *_: {"fault": fault})
    with pytest.raises(CandidateFault) as raised:
        ask(supervisor, "value", {})
    assert "secret" not in str(raised.value)
    fault["kind"] = "out_of_memory"
    with pytest.raises(CandidateLost) as lost:
        ask(supervisor, "value", {})
    assert lost.value.state == "out_of_memory"
    fault["kind"] = "of another kind"
    with pytest.raises(CandidateLost) as lost:
        ask(supervisor, "value", {})
    assert lost.value.state == "crashed" and len(supervisor.source.started) == 2


def test_a_provided_cell_that_ends_the_candidate_is_a_fault_of_ours(supervised, small):
    provided = next(cell for cell in small.cells if cell.kind == "code" and not cell.solution)
    ours = Cell(provided.id, "code", provided.source, provided)
    with pytest.raises(SandboxError, match="provided cell"):
        supervised(leave, PATIENT, ours).run_cells()
    theirs = supervised(leave, PATIENT, Cell("own", "code", "1"))
    with pytest.raises(CandidateLost):
        ask(theirs, "value", {})
    assert theirs.fatal == {"own": "crashed"}
