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
        """Set how all questions from now on are answered: with which of the stand-ins that they ask
        for (names of parts; None for all), and from which seed.

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
        """Put a question to the code; return the reply, which holds a fault if the code raises.
        `compute`: computes the result when the code calls a played function, see `Backend.ask`.
        """
        self._compute = compute
        self.code.stand_ins.handed = handed = StandInCalls()
        self.code.stand_ins.take_place()
        generator, graders = torch.default_generator, torch.default_generator.get_state()
        generator.set_state(self._random)
        try:
            with contextlib.redirect_stdout(None), warnings.catch_warnings(action="ignore"):
                for name, given in question.steps:
                    value = self.code.operations[name](**self._with_stand_ins(_copied(given)))
                return Reply(_copied(value), None, handed.calls)
        except Exception as error:
            fault = CandidateFault(read_fault(describe_fault(error)), str(error))
            fault.__cause__ = error
            return Reply(None, fault, handed.calls)
        finally:
            self._random = generator.get_state()
            generator.set_state(graders)

    def _with_stand_ins(self, given: dict) -> dict:
        """Return the arguments of an operation without those stand-ins that are not to be used."""
        if self.replaced is None or "specs" not in given:
            return given
        return given | {"specs": [one for one in given["specs"] if one["name"] in self.replaced]}

    def _play(self, number: int, handed: list, upstream: torch.Tensor | None) -> Any:
        """Return what the grader computes for a call of the played function `number` with the
        arguments `handed`: its result or, with `upstream` (the gradient of that result), a list of
        the arguments' gradients. Raise `Unanswerable` if that fails.
        """
        assert self._compute is not None
        question = {"played": number, "handed": handed, "upstream": upstream}
        try:
            return self._compute(_copied(question))
        except Exception as error:
            raise Unanswerable("refused", "played") from error


def run_cells(codes: list[CodeType], names: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run `codes`, compiled cells, in order and in a copy of `names`, global names with their
    values; return all names after that.
    """
    names = dict(names or {"__name__": "__main__"})
    for code in codes:
        exec(code, names)
    return names


def _copied(item: Any) -> Any:
    """Return a deep copy, as the channel would make it, so that code which changes an argument does
    not change the original.
    """
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
