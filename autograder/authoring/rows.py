"""The rows of a kill matrix: submissions made of the solution, the variants and the mistakes, each
with the verdict that it must get. For example:

    MatrixRow("the solution", {})                                full marks
    MatrixRow("attention: einsum", {"attention": "..."})         a variant: full marks
    MatrixRow("attention: no_scaling", {"attention": "..."},     a mistake: points lost in `attention`
              (no_scaling,), kind="mistake")                     alone, and `no_scaling` named
"""

import ast
import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from autograder.authoring.variants import variants, wrong_variants
from autograder.engine.course.assignment import Assignment
from autograder.engine.course.cells import GraderError
from autograder.engine.course.mistake import Mistake, merge, mistakes, pairs


class MatrixOptions(NamedTuple):
    """Which submissions a kill matrix grades, and how its margins are measured."""

    every_way: bool = False  # of a mistake, not only the first
    seeds: int = 0  # with which what is right is examined in float32
    exercise: str = ""  # this one only
    mistake: str = ""  # this one only, in every way
    composed: int = 0  # correct ones and as many wrong ones, composed at random
    seed: int = 0  # of what is composed


@dataclass(frozen=True)
class MatrixRow:
    """One submission to grade in a kill matrix, and the verdict that it must get."""

    id: str
    cells: dict[str, str]  # those that differ from the solution's
    mistakes: tuple[Mistake, ...] = ()
    path: str = ""  # of a variant, from the graders' folder on
    unnamed: str = ""  # the exercise of a mistake that the catalogue does not have
    kind: str = "right"  # or "mistake", "pair", "in a variant", "composed"

    @property
    def place(self) -> str:
        """How a message calls the row: by the variant's file, else by the row's id."""
        return self.path or self.id

    @property
    def made(self) -> set[tuple[str, str]]:
        """The mistakes of the catalogue that the submission has, as pairs of exercise and mistake
        id.
        """
        return {(mistake.exercise, mistake.id) for mistake in self.mistakes}

    @property
    def exercises(self) -> set[str]:
        """The ids of the exercises in which the submission must lose points; in all others it must
        lose none.
        """
        return {mistake.exercise for mistake in self.mistakes} | {self.unnamed} - {""}

    @property
    def is_right(self) -> bool:
        """Whether the submission has no mistake, so that it must get full marks."""
        return not self.exercises

    def is_about(self, exercise: str) -> bool:
        """Whether the submission changes the cell of this exercise; the solution, which changes
        none, counts for every exercise.
        """
        return not self.cells or exercise in self.cells


def asked_rows(assignment: Assignment, options: MatrixOptions) -> list[MatrixRow]:
    """Return the row of the solution, and the rows that the options ask for. Raises `GraderError`
    if the assignment's mistakes or variants cannot be read.
    """
    rows = all_rows(assignment, options.every_way or bool(options.mistake))
    if options.mistake:
        made = [row for row in rows if options.mistake in {one.id for one in row.mistakes}]
        rows = [rows[0], *made]
    else:
        rows += composed_rows(assignment, options.composed, options.seed)
    about = options.exercise
    return [
        row for row in rows if not about or not row.cells or about in (row.exercises or row.cells)
    ]


def all_rows(assignment: Assignment, every_way: bool = False) -> list[MatrixRow]:
    """Return the rows of the solution, the variants, the mistakes, the pairs of mistakes (`beside:`
    in a catalogue), and the mistakes in variants.

    `every_way`: a row for each way of a mistake, not only for its first. Raises `GraderError` if an
    entry cannot be read, or if a pair changes the same piece of code.
    """
    rows = [MatrixRow("the solution", {})]
    rows += [
        MatrixRow(variant.name, variant.cells, path=variant.path)
        for variant in variants(assignment)
    ]
    for mistake in mistakes(assignment):
        for way in range(len(mistake.cells) if every_way else 1):
            rows.append(_row(assignment, (mistake,), way))
    rows += [_row(assignment, pair) for pair in pairs(assignment)]
    return rows + mistakes_in_variants(assignment)


def mistakes_in_variants(assignment: Assignment) -> list[MatrixRow]:
    """Return the rows of mistakes that are edits of a variant. Raises `GraderError` if an entry
    cannot be read.
    """
    return [
        MatrixRow(
            one.id,
            one.variant.cells | {one.exercise: one.cell},
            one.named,
            one.variant.path,
            "" if one.named else one.exercise,
            "in a variant",
        )
        for one in wrong_variants(assignment)
    ]


def _row(assignment: Assignment, made: tuple[Mistake, ...], way: int = 0) -> MatrixRow:
    """Return the row of the solution with these mistakes made in it. `way`: the index of the way in
    which each is made. Raises `GraderError` if two of them change the same piece of code.
    """
    cells: dict[str, str] = {}
    for mistake in made:
        name, cell = mistake.exercise, mistake.cells[way]
        if name in cells:
            both = merge(assignment.solutions[name], cells[name], cell)
            if both is None:
                raise GraderError(f"`{name}`: {made[0].id} and {made[1].id} change the same piece")
            cell = both
        cells[name] = cell
    title = " + ".join(f"{mistake.exercise}: {mistake.id}" for mistake in made)
    title += f" ({way + 1})" if way else ""
    return MatrixRow(title, cells, made, kind="mistake" if len(made) == 1 else "pair")


class Style(NamedTuple):
    """One way to write the cell of an exercise, and the catalogue's mistakes in it."""

    name: str
    cell: str
    mistakes: tuple[Mistake, ...] = ()


Choices = dict[str, list[Style]]  # by exercise


def composed_rows(assignment: Assignment, count: int, seed: int) -> list[MatrixRow]:
    """Return `count` correct submissions and `count` with one mistake; the cell of each exercise is
    chosen at random among the solution's and the variants'.

    A row's id has its seed and number, from which it can be composed again.
    """
    right, wrong = _right_cells(assignment), _wrong_cells(assignment)
    seeds = [f"{seed}/{number}" for number in range(count)]
    return [_composed(one, right, some) for some in ({}, wrong) for one in seeds]


def _composed(seed: str, right: Choices, wrong: Choices) -> MatrixRow:
    """Return a row whose cells are chosen at random with this seed, such that no name has two
    meanings in it.

    `right`: correct cells to choose from; `wrong`: cells with a mistake, of which one is used
    unless it is empty.
    """
    dice = random.Random(seed)
    while True:
        chosen = {name: dice.choice(choices) for name, choices in right.items()}
        mistaken = [dice.choice([name for name, some in wrong.items() if some])] if wrong else []
        chosen |= {name: dice.choice(wrong[name]) for name in mistaken}
        cells = {name: one.cell for name, one in chosen.items()}
        if go_together(cells.values()):
            break
    made = tuple(mistake for name in mistaken for mistake in chosen[name].mistakes)
    unnamed = "" if made else "".join(mistaken)
    styles = ", ".join(f"{name}: {one.name}" for name, one in chosen.items())
    title = f"composed {seed}{', wrong' if wrong else ''} ({styles})"
    return MatrixRow(title, cells, made, unnamed=unnamed, kind="composed")


def _right_cells(assignment: Assignment) -> Choices:
    """Return, by exercise, the correct cells that also work beside cells of other variants."""
    found = {name: [Style("the solution", cell)] for name, cell in assignment.solutions.items()}
    for variant in variants(assignment):
        for name, cell in variant.cells.items() if variant.may_be_mixed else ():
            found[name].append(Style(variant.name, cell))
    return found


def _wrong_cells(assignment: Assignment) -> Choices:
    """Return, by exercise, the wrong cells: every way of every mistake, and the mistakes in
    variants that can be mixed.
    """
    found: Choices = {name: [] for name in assignment.solutions}
    for mistake in mistakes(assignment):
        for way, cell in enumerate(mistake.cells, start=1):
            found[mistake.exercise].append(Style(f"{mistake.id} ({way})", cell, (mistake,)))
    for one in wrong_variants(assignment):
        if one.variant.may_be_mixed:
            found[one.exercise].append(Style(one.id, one.cell, one.named))
    return found


def go_together(cells: Iterable[str]) -> bool:
    """Whether each name that several of these cells (source) import or define has the same meaning
    in all of them.
    """
    meanings: dict[str, str] = {}
    return all(
        meanings.setdefault(name, meaning) == meaning
        for cell in cells
        for name, meaning in _defined(cell)
    )


@cache
def _defined(cell: str) -> list[tuple[str, str]]:
    """Return the names that a cell (source) imports or defines at its top level, each with what it
    stands for.
    """
    found = []
    for node in ast.parse(cell).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.append((name, ast.dump(node)))
            case ast.Import(names=aliases):
                found += [(one.asname or one.name, one.name) for one in aliases]
            case ast.ImportFrom(module=module, names=aliases):
                found += [(one.asname or one.name, f"{module}.{one.name}") for one in aliases]
    return found
