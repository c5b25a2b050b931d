"""Start the candidates of a submission, put questions to them, and replace a lost candidate.

A candidate first runs the cells and then answers. When it dies, times out or sends an invalid
message, the question raises `CandidateLost`. The next question starts another candidate. If a cell
ended the last candidate, the new candidate does not run that cell. So a fault in an exercise costs
only that exercise.
"""

import secrets
from collections.abc import Callable
from typing import Any

from autograder.engine.candidate.channel import ChannelClosed, Deadline, DeadlinePassed
from autograder.engine.candidate.frames import ChannelError, Unsendable
from autograder.engine.candidate.known import MAX_COMPUTED
from autograder.engine.courses.cells import GraderError
from autograder.engine.examiner.clock import Allowance, Clock
from autograder.engine.examiner.faults import (
    CandidateFault,
    CandidateLost,
    Fault,
    read_fault,
    sentence,
)
from autograder.engine.examiner.lacks import Lacks
from autograder.engine.examiner.outputs import MAX_SHOWN, read_outputs, size
from autograder.engine.examiner.question import Question, Reply
from autograder.engine.examiner.templates import identifiers
from autograder.engine.limits.memory import raise_if_out_of_memory
from autograder.engine.limits.process import CandidateProcess, CandidateSource, SandboxError
from autograder.engine.notebooks.submission import Cell, Submission
from autograder.engine.placing import words

MAX_CANDIDATES = 20  # of a submission; each but the last has cost it an exercise or an extra cell
MAX_ANSWER = 16 << 20  # bytes of tensors in an answer; pictures of a cell may take more
BEFORE_CHECK = "before the check of {}"  # the name of a state
SLOW_SECONDS = 1.0  # a cell that took as long is left out when the time of all cells is up

Compute = Callable[[Any], object]


class Supervisor:
    """Puts questions to the current candidate of `submission`, and starts a new one if needed.

    `source`: starts candidates. `clock`: the time limits. Methods that ask raise `SandboxError` if
    no sandbox can be built.
    """

    def __init__(self, source: CandidateSource, clock: Clock, submission: Submission):
        self.source = source
        self.clock = clock
        self.cells = submission.runs
        self.needs = submission.needs
        self.answers = submission.answers
        self.before_checks = submission.before_checks
        self.states: dict[str, list[str]] = {}  # by cell, the states that it leaves
        for exercise, cell in self.answers.items():
            self.states.setdefault(cell, []).append(exercise)
        for exercise, cell in self.before_checks.items():
            self.states.setdefault(cell, []).append(BEFORE_CHECK.format(exercise))
        self.exercise = next(reversed(self.answers), "")
        self.state = self.exercise  # of the code during questions
        self.rebound: dict[
            str, list[str]
        ] = {}  # by exercise, names that later cells gave other values
        self.sources = {cell.id: cell.source for cell in self.cells}
        self.identifiers = identifiers(self.sources.values())
        self.lacks = Lacks(self.identifiers)
        self.outputs: dict[str, list] = {}
        self.room = MAX_SHOWN
        self.faults: dict[str, Fault] = {}  # by cell, if it raised
        self.fatal: dict[str, str] = {}  # by cell, the state in which it left a lost candidate
        self.slow: set[str] = set()  # cells that took long
        self.measured = True  # whether all candidates' waits for a processor were measured
        self._process: CandidateProcess | None = None
        self._started = 0
        self._restored = ""  # the state that the current candidate is in

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the current candidate, if any. The next question starts another."""
        if self._process:
            self._process.end()
            self._process = None

    @property
    def alive(self) -> bool:
        """Whether a candidate is running."""
        return self._process is not None

    def begin_exercise(self, exercise: str) -> None:
        """Reset the time of an exercise, and ask the code in its state after the answering cell."""
        self.clock.begin_exercise()
        self.exercise = self.state = exercise

    def begin_before_check(self, exercise: str) -> None:
        """Like `begin_exercise`, in the state that the code had before the check of `exercise`."""
        self.begin_exercise(exercise)
        self.state = BEFORE_CHECK.format(exercise)

    def differs_before_check(self, exercise: str) -> bool:
        """Whether a name was given another value between the answer to `exercise` and its check.

        Raise `CandidateLost` if the candidate ends or times out.
        """
        if exercise not in self.before_checks:
            return False
        arguments = {"state": exercise, "other": BEFORE_CHECK.format(exercise)}
        return self.ask(Question([("differ", arguments)])).value is True

    def run_cells(self) -> None:
        """Start a candidate and run the cells, unless a candidate is already running.

        Raise `CandidateLost` if the time or the number of candidates is used up.
        """
        while self._process is None:
            if self.clock.is_up:
                raise CandidateLost("timed_out")
            if self._started >= MAX_CANDIDATES:
                raise CandidateLost("crashed")
            self._started += 1
            self._process, self._restored = self.source.start(self.clock.limits, self.needs), ""
            self.measured &= self._process.measured
            self._run_all_cells()

    def _run_all_cells(self) -> None:
        """Run the cells in order, up to a cell that ends the candidate.

        Cells that have ended an earlier candidate are left out. Raise `SandboxError` if a provided
        cell ends the candidate before any cell of the student's has run.
        """
        only_provided = True
        for cell in self.cells:
            if cell.id in self.fatal:
                continue
            only_provided &= cell.provided
            if not self._run_cell(cell, only_provided):
                if only_provided:  # nothing of the student's has run yet
                    raise SandboxError(f"the provided cell `{cell.id}` ended the candidate")
                return

    def ask(self, question: Question, compute: Compute | None = None) -> Reply:
        """Put a question and return the reply. Raise `CandidateLost` if the candidate ends or times
        out.

        `compute`: computes the results of played functions, see `Backend.ask`.
        """
        self.run_cells()
        assert self._process
        if self._restored != self.state:
            self._restore()
        return self._ask(question, self.clock.request(self._process), compute)

    def _restore(self) -> None:
        """Have the candidate restore the current state, and keep the answer's rebound names."""
        assert self._process
        watched = sorted(words(self.sources.get(self.answers.get(self.exercise, ""), "")))
        arguments = {"state": self.state, "watched": watched}
        reply = self._ask(Question([("restore", arguments)]), self.clock.request(self._process))
        self._restored = self.state
        if isinstance(reply.value, list):
            changed = {name for name in reply.value if isinstance(name, str)}
            self.rebound[self.exercise] = [name for name in watched if name in changed]

    def describe(self, fault: Fault) -> str:
        """Return the sentence that the student reads about the exception that ended a cell."""
        return sentence(fault, self.sources)

    def _run_cell(self, cell: Cell, only_provided: bool) -> bool:
        """Run a cell, keep its outputs or fault, and return whether the candidate is still alive.

        `only_provided`: only provided cells have run so far, so the time is not the student's.
        """
        assert self._process
        allowance = (self.clock.provided_cell if only_provided else self.clock.cell)(self._process)
        try:
            source = cell.source.encode(errors="replace")
            states = self.states.get(cell.id, [])
            arguments = {"cell": cell.id, "source": source, "states": states}
            answer = self._ask(Question([("run", arguments)]), allowance, max_bytes=MAX_SHOWN).value
            outputs = read_outputs(answer["outputs"], self.room)
            self.room -= sum(map(size, outputs))
            self.outputs.setdefault(cell.id, outputs)  # of the first run
            if answer["fault"] is not None:
                fault = read_fault(answer["fault"], self.identifiers)
                self.faults[cell.id] = self.lacks.explain(fault, "")
                if fault.kind == "out_of_memory" and answer["has_room"] is False:
                    self.end()  # its memory would cost the other exercises their points
                    raise CandidateLost("out_of_memory")
        except CandidateLost as lost:
            self.fatal[cell.id] = lost.state
            return False
        except (ChannelError, LookupError, TypeError):  # an invalid answer
            self.fatal[cell.id] = "crashed"
            self.end()
            return False
        finally:
            self._note_slow(cell, allowance.used)
        return True

    def _note_slow(self, cell: Cell, seconds: float) -> None:
        """Remember a slow cell that the student wrote or changed.

        If the time of all cells is up and the candidate is lost, the next candidate runs no slow
        cell.
        """
        if seconds > SLOW_SECONDS and not cell.provided:
            self.slow.add(cell.id)
        if self.clock.for_cells <= 0 and self._process is None:
            self.fatal |= dict.fromkeys(self.slow - self.fatal.keys(), "timed_out")

    def _ask(
        self,
        question: Question,
        allowance: Allowance,
        compute: Compute | None = None,
        max_bytes: int = MAX_ANSWER,
    ) -> Reply:
        assert self._process
        token = secrets.token_hex(8)  # the answer has to repeat it
        message = {"steps": list(question.steps), "token": token}
        try:
            with allowance:
                self._process.channel.send(message, allowance)
                return self._read(self._answer(token, allowance, compute, max_bytes), question)
        except Unsendable as error:  # only a grader's argument can be unsendable
            raise GraderError(f"a grader hands over what cannot be sent: {error}") from error
        except ChannelError as error:
            state = self._state(error)
            self.end()
            raise CandidateLost(state) from error

    def _answer(
        self, token: str, deadline: Deadline, compute: Compute | None, max_bytes: int
    ) -> dict:
        """Return the next answer. Before it, compute the played functions that the code calls.

        `token`: the answer has to repeat it. `max_bytes`: of tensors in the answer. Raise
        `ChannelError` if the answer is invalid or too late.
        """
        assert self._process is not None
        channel = self._process.channel
        for number in range(2 * MAX_COMPUTED):
            answer = channel.receive(deadline, max_bytes)
            if answer.get("token") != token:
                raise ChannelError("an answer to another question")
            if "ask" not in answer:
                return answer
            reply = {"refused": "asked_too_often"}  # mostly to a method that calls itself
            if number < MAX_COMPUTED:
                reply = _computed(compute, answer["ask"])
            channel.send(reply, deadline)
        raise ChannelError("played functions ask more than a question can need")

    def _read(self, received: dict, question: Question) -> Reply:
        self.lacks.add(received.get("lacks", []))
        handed = received.get("handed", [])
        if "value" in received:
            return Reply(received["value"], None, handed)
        fault = read_fault(received.get("fault"), self.identifiers)
        fault = self.lacks.explain(fault, question.about)
        if fault.kind == "out_of_memory":
            self.end()  # it has no memory left for an answer
            raise CandidateLost("out_of_memory")
        message = sentence(fault, self.sources, question.about, question.operation)
        return Reply(None, CandidateFault(fault, message), handed)

    def _state(self, error: ChannelError) -> str:
        if isinstance(error, DeadlinePassed):
            return "timed_out"
        assert self._process is not None
        if isinstance(error, ChannelClosed) and self._process.ran_out_of_cpu():
            return "timed_out"
        return "crashed"


def _computed(compute: Compute | None, request: object) -> dict:
    """Return the message with the result of a played function, or with a refusal if it raises.

    Raise `ChannelError` if no function can be played.
    """
    if compute is None:
        raise ChannelError("nothing is played here")
    try:
        return {"computed": compute(request)}
    except Exception as error:  # the student's line that handed it over is the one that is blamed
        raise_if_out_of_memory(error)
        return {"refused": "refused"}
