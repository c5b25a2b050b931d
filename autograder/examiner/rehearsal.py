"""The same questions, put to code of our own: in this process, and behind no walls.

What a mistaken solution answers is computed here. A student's code never comes here.
"""

import contextlib
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch

from autograder.candidate.faults import Unanswerable, describe_fault
from autograder.candidate.operations import Operations
from autograder.candidate.stand_in import StandIn
from autograder.examiner.faults import CandidateFault, read_fault


class Rehearsal:
    """Stands where `Sitting` stands, and calls the candidate's operations itself.

    `names` are what the cells defined, and what their code looks up.
    """

    def __init__(self, names: dict[str, Any]):
        self.operations = Operations(names, self._ask).operations
        self._player: Callable | None = None
        self._first: list[tuple[str, dict]] = []
        self.prepare_for(plays=True, seed=0)

    def prepare_for(self, plays: bool, seed: int) -> None:
        """Without `plays`, stand-ins are left out: the code is asked with its own parts.

        `seed` is that of its own random numbers: of weights that nobody loads, and of dropout.
        """
        self.plays = plays
        self._random = torch.Generator().manual_seed(seed).get_state()

    def dismiss(self) -> None:
        """There is nobody to be sent away."""

    def begin(self) -> None:
        self._first.clear()

    def prepare(self, operation: str, arguments: dict) -> None:
        self._first.append((operation, arguments))

    def ask(
        self, operation: str, arguments: dict, player: Callable | None = None, about: str = ""
    ) -> Any:
        """Return the value of the answer. Raises `CandidateFault`."""
        self._player = player
        steps, self._first = [*self._first, (operation, arguments)], []
        generator, graders = torch.default_generator, torch.default_generator.get_state()
        generator.set_state(self._random)
        try:
            with contextlib.redirect_stdout(None), warnings.catch_warnings(action="ignore"):
                for name, given in steps:
                    if name != "stand_in" or self.plays:
                        value = self.operations[name](**_travelled(given))
                return _travelled(value)
        except Exception as error:
            raise CandidateFault(read_fault(describe_fault(error)), str(error)) from error
        finally:
            self._random = generator.get_state()
            generator.set_state(graders)

    def _ask(self, stand_in: StandIn, handed: list, upstream: torch.Tensor | None) -> Any:
        """Have a part played, as the candidate's side would over the channel."""
        assert self._player is not None
        role = stand_in.role
        part = {"role": role.name, "scene": role.scene, "number": stand_in.number}
        question = part | {"built": stand_in.built, "handed": handed, "upstream": upstream}
        try:
            return self._player(_travelled(question))
        except Exception as error:
            raise Unanswerable("refused", role.name) from error


def run_cells(codes: list[CodeType], names: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run compiled cells one after another, on a copy of these names; return what they defined."""
    names = dict(names or {"__name__": "__main__"})
    for code in codes:
        exec(code, names)
    return names


def _travelled(item: Any) -> Any:
    """A copy, as if it had come over the channel: what a student's code changes stays its own."""
    match item:
        case torch.Tensor():
            return item.detach().clone()
        case dict():
            return {key: _travelled(value) for key, value in item.items()}
        case list() | tuple():
            return type(item)(_travelled(value) for value in item)
    return item
