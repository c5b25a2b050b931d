"""The rows of a kill matrix: the solution, variants, mistakes, and compositions of them."""

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
    seeds: int = 0  # number of seeds for correct submissions in float32
    exercise: str = ""  # only this exercise
    mistake: str = ""  # only this mistake, in every way
    composed: int = 0  # number of correct submissions composed at random, and of wrong ones
    seed: int = 0  # of the composed submissions


def asked_rows(assignment: Assignment, options: MatrixOptions) -> list[MatrixRow]:
    """Return the row of the solution, and the rows that the options ask for.

    Raises `GraderError` if the assignment's mistakes or variants cannot be read.
    """
    rows = all_rows(assignment, options.every_way or bool(options.mistake))
    if options.mistake:
        mistake_rows = [
            row for row in rows if options.mistake in {mistake.id for mistake in row.mistakes}
        ]
        rows = [rows[0], *mistake_rows]
    else:
        rows += composed_rows(assignment, options.composed, options.seed)
    exercise = options.exercise
    return [
        row
        for row in rows
        if not exercise or not row.cells or exercise in (row.exercises or row.cells)
    ]


def all_rows(assignment: Assignment, every_way: bool = False) -> list[MatrixRow]:
    """Return the rows of the solution, variants, mistakes, pairs, and mistakes in variants.

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


def _row(assignment: Assignment, made_mistakes: tuple[Mistake, ...], way: int = 0) -> MatrixRow:
    """Return the row of the solution with these mistakes, each made in the way with this index.

    Raises `GraderError` if two of them change the same piece of code.
    """
    cells: dict[str, str] = {}
    for mistake in made_mistakes:
        name, cell = mistake.exercise, mistake.cells[way]
        if name in cells:
            merged = merge(assignment.solutions[name], cells[name], cell)
            if merged is None:
                raise GraderError(
                    f"`{name}`: {made_mistakes[0].id} and {made_mistakes[1].id} change the same piece"
                )
            cell = merged
        cells[name] = cell
    title = " + ".join(f"{mistake.exercise}: {mistake.id}" for mistake in made_mistakes)
    title += f" ({way + 1})" if way else ""
    return MatrixRow(
        title, cells, made_mistakes, kind="mistake" if len(made_mistakes) == 1 else "pair"
    )


Choices = dict[str, list[tuple[MatrixRow, str]]]  # by exercise: rows with their cell for it


def composed_rows(assignment: Assignment, count: int, seed: int) -> list[MatrixRow]:
    """Return `count` correct submissions and `count` with a mistake, composed at random.

    The cell of each exercise is chosen among the solution's and the variants', the wrong cell among
    all ways of all mistakes. Variants with cells that depend on each other are left out. The seed
    and number in a row's id are enough to compose it again.
    """
    rows = [
        row
        for row in all_rows(assignment, every_way=True)
        if row.kind != "pair" and row.may_be_mixed
    ]
    correct: Choices = {name: [] for name in assignment.solutions}
    mistaken: Choices = {name: [] for name in assignment.solutions}
    for name, cell in assignment.solutions.items():
        for row in rows:
            if row.is_right and row.is_about(name):
                correct[name].append((row, row.cells.get(name, cell)))
            elif name in row.exercises:
                mistaken[name].append((row, row.cells[name]))
    seeds = [f"{seed}/{number}" for number in range(count)]
    return [
        _composed(row_seed, correct, wrong_choices)
        for wrong_choices in ({}, mistaken)
        for row_seed in seeds
    ]


def _composed(seed: str, right: Choices, wrong: Choices) -> MatrixRow:
    """Return a row with randomly chosen cells, in which no name has two meanings.

    `right`: correct cells to choose from. `wrong`: cells with a mistake, empty for a correct row.
    """
    dice = random.Random(seed)
    while True:
        chosen = {name: dice.choice(choices) for name, choices in right.items()}
        mistaken_exercises = (
            [dice.choice([name for name, candidates in wrong.items() if candidates])]
            if wrong
            else []
        )
        chosen |= {name: dice.choice(wrong[name]) for name in mistaken_exercises}
        cells = {name: cell for name, (_, cell) in chosen.items()}
        if go_together(cells.values()):
            break
    made_mistakes = tuple(
        mistake for name in mistaken_exercises for mistake in chosen[name][0].mistakes
    )
    unnamed = "" if made_mistakes else "".join(mistaken_exercises)
    styles = ", ".join(f"{name}: {row.id}" for name, (row, _) in chosen.items())
    title = f"composed {seed}{', wrong' if wrong else ''} ({styles})"
    return MatrixRow(title, cells, made_mistakes, unnamed=unnamed, kind="composed")


def go_together(cells: Iterable[str]) -> bool:
    """Whether names that several cells import or define mean the same in all of them.

    Variables are not compared.
    """
    meanings: dict[str, str] = {}
    return all(
        meanings.setdefault(name, meaning) == meaning
        for cell in cells
        for name, meaning in _defined(cell)
    )


@cache
def _defined(cell: str) -> list[tuple[str, str]]:
    """Return the names that a cell imports, or defines as a class or function at its top level.

    Each has its meaning: the definition's syntax tree, or the dotted name of the import.
    """
    definitions = []
    for node in ast.parse(cell).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                definitions.append((name, ast.dump(node)))
            case ast.Import(names=aliases):
                definitions += [(alias.asname or alias.name, alias.name) for alias in aliases]
            case ast.ImportFrom(module=module, names=aliases):
                definitions += [
                    (alias.asname or alias.name, f"{module}.{alias.name}") for alias in aliases
                ]
    return definitions
