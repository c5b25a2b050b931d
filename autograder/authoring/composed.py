"""Submissions composed at random: a style in each exercise, independent of the others, and in one of
them perhaps a mistake. A row's name says its seed and its number, which make it again.
"""

import ast
import builtins
import random
from collections.abc import Iterable, Iterator
from functools import cache

from autograder.authoring.rows import Row, mistakes_in_variants
from autograder.authoring.variants import variants
from autograder.engine.course.assignment import Assignment
from autograder.engine.course.mistake import Mistake, mistakes

Choice = tuple[str, str]  # (the name of a variant, its cell)


def composed_rows(assignment: Assignment, count: int, seed: int) -> list[Row]:
    """Return this many correct submissions, and as many with one mistake."""
    right = [_compose(assignment, f"{seed}/{number}", False) for number in range(count)]
    return right + [_compose(assignment, f"{seed}/{number}", True) for number in range(count)]


def _compose(assignment: Assignment, seed: str, wrong: bool) -> Row:
    """Return a row of cells of which none means something else by a name than another one."""
    dice = random.Random(seed)
    while True:
        row = _drawn(assignment, seed, wrong, dice)
        if _go_together(row.cells.values()):
            return row


def _drawn(assignment: Assignment, seed: str, wrong: bool, dice: random.Random) -> Row:
    chosen = {name: dice.choice(choices) for name, choices in _choices(assignment).items()}
    made: tuple[Mistake, ...] = ()
    unnamed = ""
    if wrong:
        exercise = dice.choice([name for name, some in _wrong(assignment).items() if some])
        style, cell, made = dice.choice(_wrong(assignment)[exercise])
        chosen[exercise] = style, cell
        unnamed = "" if made else exercise
    styles = ", ".join(f"{name}: {style}" for name, (style, _) in chosen.items())
    cells = {name: cell for name, (_, cell) in chosen.items()}
    title = f"composed {seed}{', wrong' if wrong else ''} ({styles})"
    return Row(title, cells, made, unnamed=unnamed, kind="composed")


@cache
def _choices(assignment: Assignment) -> dict[str, list[Choice]]:
    """The correct cells of each exercise that need no other cell than the solution's."""
    found = {name: [("the solution", cell)] for name, cell in assignment.solutions.items()}
    for variant in variants(assignment):
        for name, cell in variant.cells.items():
            if variant.may_be_mixed and _stands_alone(cell, assignment):
                found[name].append((variant.name, cell))
    return found


@cache
def _wrong(assignment: Assignment) -> dict[str, list[tuple[str, str, tuple[Mistake, ...]]]]:
    """The wrong cells of each exercise: each way of each mistake, and the mistakes in variants."""
    found: dict[str, list] = {name: [] for name in assignment.solutions}
    for mistake in mistakes(assignment):
        for way, cell in enumerate(mistake.cells, start=1):
            found[mistake.exercise].append((f"{mistake.id} ({way})", cell, (mistake,)))
    for row in mistakes_in_variants(assignment):
        (name,) = row.exercises
        if _stands_alone(row.cells[name], assignment):
            found[name].append((row.id, row.cells[name], row.mistakes))
    return found


def _stands_alone(cell: str, assignment: Assignment) -> bool:
    """Whether it uses no name that only another cell of its variant defines."""
    known = set(dir(builtins)).union(*map(_bound, assignment.solved_cells().values()))
    read = {node.id for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Name)}
    return read <= known | _bound(cell)


def _go_together(cells: Iterable[str]) -> bool:
    """Whether each name that several of these cells define means the same in all of them."""
    meanings: dict[str, str] = {}
    return all(
        meanings.setdefault(name, meaning) == meaning
        for cell in cells
        for name, meaning in _defined(cell)
    )


def _defined(cell: str) -> Iterator[tuple[str, str]]:
    """Yield what a cell imports or defines for all cells behind it: a name, and what it stands for."""
    for node in ast.parse(cell).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, ast.dump(node)
            case ast.Import(names=aliases):
                yield from ((one.asname or one.name, one.name) for one in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                yield from ((one.asname or one.name, f"{module}.{one.name}") for one in aliases)


def _bound(cell: str) -> set[str]:
    """The names that a cell binds anywhere: a name of a function's own hides nothing that is used."""
    names = set[str]()
    for node in ast.walk(ast.parse(cell)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name.partition(".")[0] for alias in aliases}
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                names.add(name)
    return names
