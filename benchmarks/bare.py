"""The bare limit: the same cells by plain `exec`, the same checks asked directly, and no walls.

Examiner and candidate are one process here, so it is what Python, torch and pytest cost by themselves.
Run as a program, it says what a process of its own costs that has to import everything first.
"""

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import torch

from autograder.assignment import Assignment, find_assignment
from autograder.candidate.answers import Desk
from autograder.candidate.faults import describe_fault
from autograder.examiner.faults import CandidateFault, read_fault
from autograder.examiner.proxy import Candidate
from autograder.examiner.session import Check, run_checks
from autograder.sample_class import solutions


class Direct:
    """Stands where `Sitting` stands, and calls the candidate's operations itself."""

    def __init__(self, cells: dict[str, str]):
        self.names: dict[str, Any] = {}
        for name, source in cells.items():
            exec(compile(source, name, "exec"), self.names)
        channel, shell = cast(Any, None), cast(Any, SimpleNamespace(user_ns=self.names))
        self.desk = Desk(channel, shell)
        self.desk.cast.ask = self._ask
        self.player: Callable | None = None
        self.first: list[tuple[str, dict]] = []

    def begin(self) -> None:
        self.first.clear()

    def prepare(self, operation: str, arguments: dict) -> None:
        self.first.append((operation, arguments))

    def ask(
        self, operation: str, arguments: dict, player: Callable | None = None, about: str = ""
    ) -> Any:
        self.player = player
        steps, self.first = [*self.first, (operation, arguments)], []
        try:
            for name, given in steps:
                value = self.desk.operations[name](**given)
            return value
        except Exception as error:
            raise CandidateFault(read_fault(describe_fault(error)), str(error)) from error

    def _ask(self, stand_in: Any, handed: list, upstream: torch.Tensor | None) -> Any:
        """Play a part on copies, as if they had travelled."""
        assert self.player is not None
        role = stand_in.role
        part = {"role": role.name, "scene": role.scene, "number": stand_in.number}
        copies = [_copy(item) for item in handed]
        return self.player(part | {"built": stand_in.built, "handed": copies, "upstream": upstream})


def examine_directly(assignment: Assignment, cells: dict[str, str], seed: int) -> list[Check]:
    """Run the cells and ask every check."""
    known = importlib.import_module(f"autograder.graders.{assignment.graders.name}")
    candidate = Candidate(cast(Any, Direct(cells)), known.ALIASES, known.STATEMENT)
    return run_checks(assignment.exercises, candidate, seed)


def solved_cells(assignment: Assignment) -> dict[str, str]:
    """The code cells that are run when the solution is graded, in their order."""
    solved = solutions(assignment)
    return {
        cell.id: solved.get(cell.id, cell.source)
        for cell in assignment.cells
        if cell.kind == "code" and not cell.check and not cell.skipped
    }


def _copy(item: object) -> object:
    return item.detach().clone() if isinstance(item, torch.Tensor) else item


def main() -> None:
    torch.set_num_threads(1)
    assignment = find_assignment("encoder-layer")
    checks = examine_directly(assignment, solved_cells(assignment), seed=1)
    assert all(check.passed for check in checks), checks


if __name__ == "__main__":
    main()
