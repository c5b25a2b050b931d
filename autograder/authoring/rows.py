"""The rows of a kill matrix: the solution, the variants, the mistakes, and what is composed of them."""

import ast
import random
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from autograder.authoring.in_variants import mistakes_in_variants
from autograder.authoring.row import MatrixRow
from autograder.authoring.variants import variants
from autograder.engine import Assignment, GraderError
from autograder.mistakes.mistake import Mistake, merge, mistakes, pairs


class MatrixOptions(NamedTuple):
    """Which submissions a kill matrix grades, and how its margins are measured."""

    every_way: bool = False  # of a mistake, not only the first
    seeds: int = 0  # with which what is right is examined in float32
    exercise: str = ""  # this one only
    mistake: str = ""  # this one only, in every way
    composed: int = 0  # correct ones and as many wrong ones, composed at random
    seed: int = 0  # of what is composed


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


Choices = dict[str, list[tuple[MatrixRow, str]]]  # by exercise: rows, and their cells of it


def composed_rows(assignment: Assignment, count: int, seed: int) -> list[MatrixRow]:
    """Return `count` correct submissions and `count` with one mistake; the cell of each exercise is
    chosen at random among the solution's and the variants', one with a mistake among all ways of all
    mistakes. A variant whose cells depend on each other is left out.

    A row's id has its seed and number, from which it can be composed again.
    """
    rows = [
        row
        for row in all_rows(assignment, every_way=True)
        if row.kind != "pair" and row.may_be_mixed
    ]
    right: Choices = {name: [] for name in assignment.solutions}
    wrong: Choices = {name: [] for name in assignment.solutions}
    for name, cell in assignment.solutions.items():
        for row in rows:
            if row.is_right and row.is_about(name):
                right[name].append((row, row.cells.get(name, cell)))
            elif name in row.exercises:
                wrong[name].append((row, row.cells[name]))
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
        cells = {name: cell for name, (_, cell) in chosen.items()}
        if go_together(cells.values()):
            break
    made = tuple(mistake for name in mistaken for mistake in chosen[name][0].mistakes)
    unnamed = "" if made else "".join(mistaken)
    styles = ", ".join(f"{name}: {row.id}" for name, (row, _) in chosen.items())
    title = f"composed {seed}{', wrong' if wrong else ''} ({styles})"
    return MatrixRow(title, cells, made, unnamed=unnamed, kind="composed")


def go_together(cells: Iterable[str]) -> bool:
    """Whether each name that several of these cells (source) import, or define as a class or
    function, has the same meaning in all of them. Variables are not compared.
    """
    meanings: dict[str, str] = {}
    return all(
        meanings.setdefault(name, meaning) == meaning
        for cell in cells
        for name, meaning in _defined(cell)
    )


@cache
def _defined(cell: str) -> list[tuple[str, str]]:
    """Return the names that a cell (source) imports, or defines as a class or function at its top
    level. With each goes a text that stands for its meaning: the definition's syntax tree, or the
    dotted name of what is imported.
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
