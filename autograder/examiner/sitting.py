"""One submission's candidates, one after another.

A candidate runs the cells and then answers. When it dies, hangs or talks nonsense, that is told as
`Gone`, and the next question starts another one, without the cell that ended it if a cell did. So a
fault in one exercise costs that exercise and leaves the others their points.
"""

import math
import secrets
import time
from collections.abc import Callable
from typing import Any

from autograder.channel import MAX_BODY, ChannelError, Closed, Late
from autograder.examiner.faults import CandidateFault, Fault, Gone, read_fault, sentence
from autograder.examiner.outputs import MAX_SHOWN, read_outputs, size
from autograder.repair import Cell, Submission
from autograder.sandbox import Limits, Process, SandboxError, Walls

MAX_CANDIDATES = 20  # a submission; each but the last has cost it an exercise or an extra cell
MAX_ANSWER = 8 << 20  # bytes of tensors in an answer; pictures of a cell may take more
MAX_PLAYED = 300  # parts that the examiner plays in one question

Player = Callable[[Any], object]


class Sitting:
    """Holds the living candidate. Raises `SandboxError` when the walls do not stand: nobody's fault."""

    def __init__(self, walls: Walls, limits: Limits, submission: Submission):
        self.walls = walls
        self.limits = limits
        self.cells = submission.cells
        self.sources = {cell.id: cell.source for cell in submission.cells}
        self.outputs: dict[str, list] = {}
        self.room = MAX_SHOWN
        self.faults: dict[str, Fault] = {}  # by cell: it raised
        self.deadly: dict[str, str] = {}  # by cell: the state in which it left the candidate
        self._first: list[tuple[str, dict]] = []  # what the next question begins with
        self._process: Process | None = None
        self._started = 0
        self._end = math.inf  # from the first candidate on: warming up is nobody's time

    def __enter__(self) -> "Sitting":
        return self

    def __exit__(self, *_: object) -> None:
        self.dismiss()

    def dismiss(self) -> None:
        """End the living candidate, if there is one."""
        if self._process:
            self._process.end()
            self._process = None

    def run_cells(self) -> None:
        """Make sure that there is a candidate that has run the cells. Raises `Gone`."""
        while self._process is None:
            if time.monotonic() >= self._end:
                raise Gone("timed_out")
            if self._started >= MAX_CANDIDATES:
                raise Gone("crashed")
            self._started += 1
            self._process = self.walls.start(self.limits)
            self._end = min(self._end, time.monotonic() + self.limits.total_seconds)
            ours = True
            for cell in self.cells:
                if cell.id in self.deadly:
                    continue
                ours &= cell.provided
                if not self._survives(cell):
                    if ours:  # nothing of the student's has run yet
                        raise SandboxError(f"the provided cell `{cell.id}` ended the candidate")
                    break

    def begin(self) -> None:
        """Drop what no question has begun with yet."""
        self._first.clear()

    def prepare(self, operation: str, arguments: dict) -> None:
        """Have this done before the next question, in the same message. Its fault is that question's."""
        self._first.append((operation, arguments))

    def ask(
        self, operation: str, arguments: dict, player: Player | None = None, about: str = ""
    ) -> Any:
        """Put one question; return the value of the answer. Raises `CandidateFault`, `Gone`.

        `about` is the name that the student's sentence speaks of if there is no such thing.
        """
        self.run_cells()
        first, self._first = self._first, []
        steps = [*first, (operation, arguments)]
        return self._ask(steps, self.limits.request_seconds, player, about)

    def tell(self, fault: Fault) -> str:
        """The sentence on a fault of a cell's."""
        return sentence(fault, self.sources)

    def _survives(self, cell: Cell) -> bool:
        try:
            arguments = {"cell": cell.id, "source": cell.source.encode(errors="replace")}
            answer = self._ask([("run", arguments)], self.limits.cell_seconds, most=MAX_BODY)
            shown = read_outputs(answer["outputs"], self.room)
            self.room -= sum(map(size, shown))
            self.outputs.setdefault(cell.id, shown)  # of the first time: what it showed, untaught
            if answer["fault"] is not None:
                self.faults[cell.id] = read_fault(answer["fault"])
        except Gone as gone:
            self.deadly[cell.id] = gone.state
            return False
        except (ChannelError, CandidateFault, LookupError, TypeError):  # talks nonsense
            self.deadly[cell.id] = "crashed"
            self.dismiss()
            return False
        return True

    def _ask(
        self,
        steps: list[tuple[str, dict]],
        seconds: float,
        player: Player | None = None,
        about: str = "",
        most: int = MAX_ANSWER,
    ) -> Any:
        assert self._process is not None
        deadline = min(time.monotonic() + seconds, self._end)
        channel = self._process.channel
        try:
            token = secrets.token_hex(8)  # an answer without it is not the answer to this question
            channel.send({"steps": steps, "token": token}, deadline)
            for _ in range(MAX_PLAYED):
                answer = channel.receive(deadline, most)
                if answer.get("token") != token:
                    raise ChannelError("an answer to another question")
                if "ask" not in answer:
                    return self._value(answer, about)
                channel.send(_play(player, answer["ask"]), deadline)
            raise ChannelError("more parts to play than a question can have")
        except ChannelError as error:
            state = self._state(error)
            self.dismiss()
            raise Gone(state) from error

    def _value(self, answer: dict, about: str) -> Any:
        if "value" in answer:
            return answer["value"]
        fault = read_fault(answer.get("fault"))
        if fault.kind == "out_of_memory":
            self.dismiss()  # whatever is left of it has no room to answer in
            raise Gone("out_of_memory")
        raise CandidateFault(fault, sentence(fault, self.sources, about))

    def _state(self, error: ChannelError) -> str:
        if isinstance(error, Late):
            return "timed_out"
        assert self._process is not None
        if isinstance(error, Closed) and self._process.ran_out_of_cpu():
            return "timed_out"
        return "crashed"


def _play(player: Player | None, part: object) -> dict:
    """Let the grader play a part. What it is handed is a student's, and may be anything."""
    if player is None:
        raise ChannelError("a part that nobody plays")
    try:
        return {"played": player(part)}
    except Exception:  # the student's line that handed it over is told as the one that raised
        return {"refused": True}
