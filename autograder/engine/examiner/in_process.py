"""Run the project's own code in this process without a sandbox: the solution and its mutants.

A student's code never runs here.
"""

import contextlib
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch

from autograder.engine.candidate.faults import Unanswerable, describe_fault
from autograder.engine.candidate.known import StandInCalls
from autograder.engine.candidate.operations import Operations
from autograder.engine.examiner.faults import CandidateFault, read_fault
from autograder.engine.examiner.question import Question, Reply


class InProcessCandidate:
    """A `Backend` that calls the candidate's operations directly, in this process.

    `names`: the global names of the code with their values, as the cells defined them.
    """

    def __init__(self, names: dict[str, Any]):
        self.code = Operations(names, self._play)
        self._compute: Callable | None = None
        self.prepare_for(None, seed=0)

    def prepare_for(self, stand_ins: frozenset[str] | None, seed: int) -> None:
        """Set the stand-ins (names of parts, or None for all) and the seed for further questions.

        The seed is for the code's own random numbers: weights that are not loaded, and dropout.
        """
        self.replaced = stand_ins
        self._random = torch.Generator().manual_seed(seed).get_state()

    def end(self) -> None:
        """Do nothing, because there is no process to end."""

    @property
    def alive(self) -> bool:
        return True

    def ask(self, question: Question, compute: Callable | None = None) -> Reply:
        """Put a question to the code and return the reply, with a fault if the code raises.

        `compute`: computes the results of played functions, see `Backend.ask`.
        """
        self._compute = compute
        self.code.stand_ins.handed = handed = StandInCalls()
        self.code.stand_ins.take_place()
        generator, graders = torch.default_generator, torch.default_generator.get_state()
        generator.set_state(self._random)
        try:
            with contextlib.redirect_stdout(None), warnings.catch_warnings(action="ignore"):
                for name, arguments in question.steps:
                    value = self.code.operations[name](**self._with_stand_ins(_copied(arguments)))
                return Reply(_copied(value), None, handed.calls)
        except Exception as error:
            fault = CandidateFault(read_fault(describe_fault(error)), str(error))
            fault.__cause__ = error
            return Reply(None, fault, handed.calls)
        finally:
            self._random = generator.get_state()
            generator.set_state(graders)

    def _with_stand_ins(self, arguments: dict) -> dict:
        """Return the arguments of an operation without stand-ins that are not to be used."""
        if self.replaced is None or "specs" not in arguments:
            return arguments
        return arguments | {
            "specs": [spec for spec in arguments["specs"] if spec["name"] in self.replaced]
        }

    def _play(self, number: int, handed: list, upstream: torch.Tensor | None) -> Any:
        # with `upstream`, the gradient of the result, the arguments' gradients are computed
        assert self._compute is not None
        question = {"played": number, "handed": handed, "upstream": upstream}
        try:
            return self._compute(_copied(question))
        except Exception as error:
            raise Unanswerable("refused", "played") from error


def run_cells(codes: list[CodeType], names: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run compiled cells in order, with a copy of `names` as global names, and return these."""
    names = dict(names or {"__name__": "__main__"})
    for code in codes:
        exec(code, names)
    return names


def _copied(item: Any) -> Any:
    # as through the channel: code that changes an argument does not change the original
    match item:
        case torch.Tensor():
            return item.detach().clone()
        case dict():
            return {key: _copied(value) for key, value in item.items()}
        case list():
            return [_copied(value) for value in item]
        case tuple():
            return tuple(_copied(value) for value in item)
    return item
