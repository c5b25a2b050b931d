"""Find everything missing or wrong in the graders' folder of an assignment."""

import pkgutil
from collections import Counter
from collections.abc import Iterator, Mapping

from autograder.authoring.in_variants import mistakes_in_variants
from autograder.authoring.parts import Parts
from autograder.authoring.variants import cells_of, variants
from autograder.engine import GraderError, courses, points_text
from autograder.mistakes.mistake import IN_VARIANTS, OPERATORS, Mistake, pairs

Pieces = Iterator[str]


def grader_pieces(parts: Parts) -> Pieces:
    """Yield a sentence for each fault in the files of the graders."""
    for look in (_files, _checks, _mistakes, _together, _variants, _library_parts):
        yield from look(parts)


def _files(parts: Parts) -> Pieces:
    """Yield a sentence for each missing, superfluous or broken file of the graders."""
    folder = parts.assignment.graders
    if not (folder / "__init__.py").is_file():
        yield f"there is no `{folder.name}/__init__.py`, which makes the graders a package."
    yield from (f"{reason}." for reason in parts.broken)
    for exercise in parts.exercises.values():
        if not exercise.grader.is_file():
            yield f"the check cell `{exercise.check_cell}` has no grader `{exercise.grader.name}`."
    for file in sorted(folder.glob("test_*.py")):
        if (name := file.stem.removeprefix("test_")) not in parts.exercises:
            yield f"the grader `{file.name}` has no check cell `{courses.CHECK}{name}`."


def _checks(parts: Parts) -> Pieces:
    """Yield a sentence for each check without points, and each wrong sum of points."""
    for name, checks in parts.checks.items():
        exercise = parts.exercises[name]
        without_points = [check.name for check in checks if not check.points]
        for check in dict.fromkeys(without_points):
            yield f"`{exercise.grader.name}`: the check `{check}` has no points."
        if not without_points and not parts.adds_up(exercise):
            worth = points_text(parts.worth(exercise))
            yield (
                f"the checks of `{exercise.grader.name}` are worth {worth}, and the "
                f"cell `{exercise.check_cell}` {points_text(exercise.points)}."
            )


def _mistakes(parts: Parts) -> Pieces:
    """Yield a sentence for each check that no known mistake fails, and each faulty entry."""
    for exercise in parts.graded:
        known_mistakes, catalogue = (
            parts.mistakes.get(exercise.id, []),
            f"`mistakes/{exercise.id}.md`",
        )
        for name, count in Counter(mistake.id for mistake in known_mistakes).items():
            if count > 1:
                yield f"{catalogue} has the mistake `{name}` {count} times."
        checks = list(dict.fromkeys(check.name for check in parts.checks[exercise.id]))
        for mistake in known_mistakes:
            yield from _about(mistake, exercise, checks)
        caught_by = {f"test_{check}" for mistake in known_mistakes for check in mistake.caught_by}
        for check in checks:
            if check not in caught_by:
                yield f"{catalogue} has no mistake for `{check}` to catch."


def _about(mistake: Mistake, exercise: courses.Exercise, checks: list[str]) -> Pieces:
    location = f"`mistakes/{exercise.id}.md`, line {mistake.line}: `{mistake.id}`"
    if not mistake.caught_by:
        yield f"{location} names no check that fails (`fails: ...`)."
    for check in mistake.caught_by:
        if f"test_{check}" not in checks:
            yield f"{location} fails `{check}`, and there is no check `test_{check}`."
    for way, cell in enumerate(mistake.cells, start=1):
        try:
            compile(cell, mistake.id, "exec")
        except SyntaxError as error:
            yield f"{location} is no Python in its way {way}: {error}."


def _together(parts: Parts) -> Pieces:
    """Yield a sentence if the pairs of mistakes, or the mistakes in variants, cannot be read."""
    for read in (pairs, mistakes_in_variants) if not parts.broken else ():
        try:
            read(parts.assignment)
        except GraderError as error:
            yield f"{error}."


def _variants(parts: Parts) -> Pieces:
    """Yield a sentence for each exercise without a variant, and each file without an exercise."""
    folder, exercises = parts.assignment.graders, parts.exercises
    exercises_in_variants = {
        name for variant in variants(parts.assignment) for name in variant.cells
    }
    for name in exercises:
        file = folder / "variants" / f"{name}.py"
        if not file.is_file() or not cells_of(file):
            yield f"the exercise `{name}` has no variant in `variants/{name}.py`."
    for name in sorted(exercises_in_variants - exercises.keys()):
        yield f"`variants/` has cells of `{name}`, which is no exercise."
    for file in sorted(folder.glob("mistakes/[!_]*")):
        if file.stem not in (*exercises, OPERATORS.stem, IN_VARIANTS) or file.suffix != ".md":
            yield f"`{file.relative_to(folder)}` is of no exercise."


def _library_parts(parts: Parts) -> Pieces:
    """Yield a sentence for each error in LIBRARY_PARTS of an assignment's graders.

    LIBRARY_PARTS maps an exercise to the dotted paths of equivalent parts of a library, such as
    `torch.nn.LayerNorm`.
    """
    declared = {} if parts.broken else parts.assignment.library_parts
    if not isinstance(declared, Mapping):
        yield "`LIBRARY_PARTS` is no dict: exercises, and for each a tuple of dotted paths."
        return
    for name, paths in declared.items():
        if name not in parts.exercises:
            yield f"`LIBRARY_PARTS` names the exercise `{name}`, which there is not."
        if not isinstance(paths, tuple | list):
            yield f"`LIBRARY_PARTS` of `{name}` is no tuple of dotted paths."
            continue
        for path in paths:
            try:
                pkgutil.resolve_name(str(path))
            except (ImportError, AttributeError, ValueError):
                yield f"`LIBRARY_PARTS` of `{name}` names `{path}`, which cannot be imported."
