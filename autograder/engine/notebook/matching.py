"""Match the cells of a submitted notebook with those of the release.

Cells are matched by nbgrader's id, then by cell id, then by the class or function that they define,
then by position.
"""

from collections import Counter
from collections.abc import Callable

from autograder.engine.course.cells import PristineCell
from autograder.engine.notebook.reader import SubmittedCell
from autograder.text.patterns import WORD, Pattern

DEFINED = Pattern(rf"(?m)^(?:class|def)[ \t]+([{WORD}]+)")
ENOUGH_NAMES = 2  # definitions by which a notebook that lost all its ids is known


class CellMatcher:
    """Finds the submitted cell that corresponds to each pristine cell."""

    def __init__(self, pristine: tuple[PristineCell, ...], submitted: list[SubmittedCell]):
        self.pristine = pristine
        self.submitted = submitted
        self.matches: dict[str, int] = {}
        self.repairs: list[str] = []

    def match(self) -> tuple[dict[str, int], list[str]]:
        """Return the indices of submitted cells by the ids of pristine ones, and a sentence on each
        repair, for the student.

        Both are empty if too few cells match for a notebook of this assignment.
        """
        self._by_name(lambda cell: cell.grade_id)
        self._by_name(lambda cell: cell.id)
        known = bool(self.matches)
        self._by_definition()
        own = {cell.id for cell in self.pristine if cell.solution or cell.check}
        if len(own & self.matches.keys()) < (1 if known else ENOUGH_NAMES):  # others all may have
            return {}, []
        self._by_position()
        return self.matches, self.repairs

    def _by_name(self, name_of: Callable[[SubmittedCell], str | None]) -> None:
        """Match cells by the name that `name_of` returns for a submitted cell. If a name occurs
        twice, the last cell is matched; the other stays a cell of the student's own.
        """
        wanted = {cell.id: cell for cell in self.pristine if cell.id not in self.matches}
        taken, found = set(self.matches.values()), Counter[str | None]()
        for index, cell in enumerate(self.submitted):
            name = name_of(cell)
            if name not in wanted or wanted[name].kind != cell.kind or index in taken:
                continue
            if found.get(name) == 1:
                self.repairs.append(f"The cell `{name}` is there twice: the last one counts.")
            found[name] += 1
            self.matches[name] = index

    def _by_definition(self) -> None:
        for pristine in self._missing():
            names = _defined(pristine.source)
            for index in reversed(self._free("code")):
                if names & _defined(self.submitted[index].source):
                    self._adopt(pristine, index, "what it defines")
                    break

    def _by_position(self) -> None:
        """Match each missing cell with a submitted one, if exactly one that is not matched lies
        between the cell's neighbours.
        """
        order = [cell.id for cell in self.pristine]
        for pristine in self._missing():
            place = order.index(pristine.id)
            before = [self.matches[name] for name in order[:place] if name in self.matches]
            after = [self.matches[name] for name in order[place + 1 :] if name in self.matches]
            low, high = max(before, default=-1), min(after, default=len(self.submitted))
            between = [index for index in self._free(pristine.kind) if low < index < high]
            if len(between) == 1:
                self._adopt(pristine, between[0], "its place")

    def _adopt(self, pristine: PristineCell, index: int, reason: str) -> None:
        self.matches[pristine.id] = index
        self.repairs.append(f"The cell `{pristine.id}` had lost its id and was found by {reason}.")

    def _missing(self) -> list[PristineCell]:
        solutions = (cell for cell in self.pristine if cell.solution and cell.kind == "code")
        return [cell for cell in solutions if cell.id not in self.matches]

    def _free(self, kind: str) -> list[int]:
        taken = set(self.matches.values())
        cells = enumerate(self.submitted)
        return [index for index, cell in cells if cell.kind == kind and index not in taken]


def _defined(source: str) -> set[str]:
    """Return the names of the classes and functions that a cell defines at its top level.

    A pattern finds them: a parser takes very long for some texts, and refuses deeply nested ones.
    """
    return set(DEFINED.findall(source))
