"""Find what is missing or wrong in an assignment, a sentence for each.

The files are checked first. Then the solution, the mistakes and the variants are graded in this
process, without a sandbox: it is all the course's own code.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from autograder.authoring.contracts import contract_pieces
from autograder.authoring.edited import as_edited
from autograder.authoring.exercise_table import disagreements, exercise_table, overview_of
from autograder.authoring.in_variants import mistakes_in_variants
from autograder.authoring.parts import Parts, failures, library_pieces, read_parts
from autograder.authoring.variants import cells_of, variants
from autograder.authoring.visible_checks import declared_checks, failing_cells
from autograder.engine.course.assignment import Assignment, Exercise
from autograder.engine.course.cells import CHECK, GraderError
from autograder.engine.course.mistake import IN_VARIANTS, OPERATORS, Mistake, pairs
from autograder.engine.verdict.verdict import points_text

TODO = "TODO(author)"  # marks what a skeleton leaves to be written; a plain TODO is for students
HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
POINTS = re.compile(r"\((\d+(?:\.\d+)?) points?\)")
CALLED = re.compile(r"^toolbox\.check\(['\"](\w+)['\"]\)", re.MULTILINE)
Pieces = Iterator[str]


def missing_pieces(assignment: Assignment) -> Pieces:
    """Yield a sentence for everything that is missing or wrong in the assignment: its cells, files,
    mistakes, variants and visible checks, and how they are graded.

    The release is not looked at: `publish.check_release` does that.
    """
    parts = read_parts(as_edited(assignment))
    for look in (
        *(_cells, _headings, _files, _checks, _mistakes, _together, _variants, _todo),
        *(library_pieces, _cards, _visible_checks, contract_pieces),
    ):
        yield from look(parts)
    yield from failing_cells(parts.assignment)
    yield from failures(parts)


def _cells(parts: Parts) -> Pieces:
    """Yield a sentence for each solution cell without a check cell, and each check cell without a
    solution cell.
    """
    if not parts.exercises:
        yield "the notebook has no exercise yet: a solution cell and its check cell."
    for name in parts.assignment.solutions:
        if name not in parts.exercises:
            yield f"the solution cell `{name}` has no check cell `{CHECK}{name}`."
    for name, exercise in parts.exercises.items():
        if name not in parts.assignment.solutions:
            yield f"the check cell `{exercise.check_cell}` has no solution cell `{name}`."


def _headings(parts: Parts) -> Pieces:
    """Yield a sentence for each heading such as `Attention (4 points)` whose points differ from
    those of the cells below.
    """
    heading, worth = (-1, ""), defaultdict[tuple[int, str], float](float)
    for number, cell in enumerate(parts.assignment.cells):
        titles = HEADING.findall(cell.source) if cell.kind == "markdown" else ()
        if titles and not cell.solution:
            heading = number, titles[-1]
        if cell.solution and cell.id in parts.exercises:
            worth[heading] += parts.exercises[cell.id].points
        elif not cell.check:
            worth[heading] += cell.points  # graded by a person
    for (_, title), points in worth.items():
        said = POINTS.search(title)
        if said and points and not math.isclose(float(said[1]), points):
            yield (
                f"the heading `{title}` says {said[1]}, and the cells below it are worth "
                f"{points_text(points)}."
            )


def _cards(parts: Parts) -> Pieces:
    """Yield a sentence for each exercise without minutes in the cell with its heading, and for each
    difference from the overview figure.
    """
    exercises = exercise_table(parts.assignment.cells)
    for id, exercise in exercises.items():
        if not exercise.minutes:
            yield f"no card above `{id}` says how many minutes it takes."
    if overview := overview_of(parts.assignment.source.parent):
        yield from disagreements(overview, exercises)


def _files(parts: Parts) -> Pieces:
    """Yield a sentence for each grader that is missing or belongs to no exercise, for a missing
    `__init__.py`, and for each module that cannot be imported.
    """
    folder = parts.assignment.graders
    if not (folder / "__init__.py").is_file():
        yield f"there is no `{folder.name}/__init__.py`, which makes the graders a package."
    yield from (f"{reason}." for reason in parts.broken)
    for exercise in parts.exercises.values():
        if not exercise.grader.is_file():
            yield f"the check cell `{exercise.check_cell}` has no grader `{exercise.grader.name}`."
    for file in sorted(folder.glob("test_*.py")):
        if (name := file.stem.removeprefix("test_")) not in parts.exercises:
            yield f"the grader `{file.name}` has no check cell `{CHECK}{name}`."


def _checks(parts: Parts) -> Pieces:
    """Yield a sentence for each check without points, and for each exercise whose checks' points do
    not add up to those of its check cell.
    """
    for name, checks in parts.checks.items():
        exercise = parts.exercises[name]
        without = [check.name for check in checks if not check.points]
        for check in dict.fromkeys(without):
            yield f"`{exercise.grader.name}`: the check `{check}` has no points."
        total = sum(check.points or 0.0 for check in checks)
        if not without and not math.isclose(total, exercise.points):
            yield (
                f"the checks of `{exercise.grader.name}` are worth {points_text(total)}, and the "
                f"cell `{exercise.check_cell}` {points_text(exercise.points)}."
            )


def _mistakes(parts: Parts) -> Pieces:
    """Yield a sentence for each check that no known mistake fails, and for each fault in an entry
    of the catalogue.
    """
    for exercise in parts.graded:
        known, catalogue = parts.mistakes.get(exercise.id, []), f"`mistakes/{exercise.id}.md`"
        for name, count in Counter(mistake.id for mistake in known).items():
            if count > 1:
                yield f"{catalogue} has the mistake `{name}` {count} times."
        checks = list(dict.fromkeys(check.name for check in parts.checks[exercise.id]))
        for mistake in known:
            yield from _about(mistake, exercise, checks)
        caught_by = {f"test_{check}" for mistake in known for check in mistake.caught_by}
        for check in checks:
            if check not in caught_by:
                yield f"{catalogue} has no mistake for `{check}` to catch."


def _about(mistake: Mistake, exercise: Exercise, checks: list[str]) -> Pieces:
    """Yield a sentence for each fault in one mistake's entry: in its sentence, its checks or its
    code. `checks`: the names of all checks of the exercise.
    """
    where = f"`mistakes/{exercise.id}.md`, line {mistake.line}: `{mistake.id}`"
    if not mistake.sentence:
        yield f"{where} says nothing to the student (`> ...`)."
    if not mistake.caught_by:
        yield f"{where} names no check that fails (`fails: ...`)."
    for check in mistake.caught_by:
        if f"test_{check}" not in checks:
            yield f"{where} fails `{check}`, and there is no check `test_{check}`."
    for way, cell in enumerate((*mistake.cells, *mistake.fits), start=1):
        try:
            compile(cell, mistake.id, "exec")
        except SyntaxError as error:
            yield f"{where} is no Python in its way {way}: {error}."


def _together(parts: Parts) -> Pieces:
    """Yield a sentence if the pairs of mistakes (`beside:` in a catalogue), or the file of mistakes
    in variants, cannot be read.
    """
    for read in (pairs, mistakes_in_variants) if not parts.broken else ():
        try:
            read(parts.assignment)
        except GraderError as error:
            yield f"{error}."


def _variants(parts: Parts) -> Pieces:
    """Yield a sentence for each exercise without a variant, and for each variant or file of
    mistakes that belongs to no exercise.
    """
    folder, exercises = parts.assignment.graders, parts.exercises
    written = {name for variant in variants(parts.assignment) for name in variant.cells}
    for name in exercises:
        file = folder / "variants" / f"{name}.py"
        if not file.is_file() or not cells_of(file):
            yield f"the exercise `{name}` has no variant in `variants/{name}.py`."
    for name in sorted(written - exercises.keys()):
        yield f"`variants/` has cells of `{name}`, which is no exercise."
    for file in sorted(folder.glob("mistakes/[!_]*")):
        if file.stem not in (*exercises, OPERATORS.stem, IN_VARIANTS) or file.suffix != ".md":
            yield f"`{file.relative_to(folder)}` is of no exercise."


def _visible_checks(parts: Parts) -> Pieces:
    """Yield a sentence if the visible checks cannot be imported; else one for each check that a
    cell calls but nothing declares, or that is declared for no exercise.
    """
    try:
        declared = declared_checks(parts.assignment)
    except GraderError as error:
        yield f"{error}."
        return
    for cell in parts.assignment.cells:
        for name in CALLED.findall(cell.source) if cell.check else ():
            if name not in declared:
                yield f"the cell `{cell.id}` asks for a check `{name}`, which nothing declares."
    for name in declared:
        if name not in parts.exercises:
            yield f"a visible check is declared for `{name}`, which is no exercise."


def _todo(parts: Parts) -> Pieces:
    """Yield a sentence for each cell or file that still contains `TODO(author)`."""
    for cell in parts.assignment.cells:
        if TODO in cell.source:
            yield f"the cell `{cell.id}` still says {TODO}."
    folder = parts.assignment.graders
    for file in sorted(folder.rglob("*.py")):
        if TODO in file.read_text(encoding="utf-8"):
            yield f"`{file.relative_to(folder)}` still says {TODO}."
