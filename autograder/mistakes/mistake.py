"""Read the known mistakes of an assignment, and make cells with two of them.

The mistakes of an exercise are in `mistakes/<exercise>.md` of its graders, in the format of
`entries.py`. Entries that several exercises share are in `mistakes/operators.md`, and those that
all assignments share in `operators.md` beside this file.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from autograder.engine.courses.assignment import Assignment
from autograder.engine.courses.cells import GraderError
from autograder.mistakes.blocks import Errors
from autograder.mistakes.entries import Catalogue, Mistake, Operators, read_operators

OPERATORS = Path(__file__).with_name("operators.md")
IN_VARIANTS = "in_variants"  # the catalogue of mistakes in other people's code
TOKEN = re.compile(r"\w+|\s+|.")
Change = tuple[int, int, tuple[str, ...]]  # from token, to token, replacement


def read_mistakes(assignment: Assignment) -> tuple[dict[str, list[Mistake]], list[str]]:
    """Return the known mistakes by exercise id, for exercises that have a catalogue.

    Errors in the catalogues are not raised, but returned as sentences.
    """
    files = {
        exercise.id: catalogue_file(assignment, exercise.id) for exercise in assignment.exercises
    }
    texts = {id: file.read_text(encoding="utf-8") for id, file in files.items() if file.is_file()}
    operators, errors = _operators(assignment)
    catalogues = {
        id: Catalogue(
            id, text, assignment.marked_solutions[id], texts, operators, assignment.marked_answers
        )
        for id, text in texts.items()
        if id in assignment.marked_solutions
    }
    errors_by_name = {OPERATORS.stem: errors} | {
        id: catalogue.errors for id, catalogue in catalogues.items()
    }
    return {id: catalogue.mistakes for id, catalogue in catalogues.items()}, [
        f"`mistakes/{name}.md`, line {line}: {sentence}"
        for name, errors in errors_by_name.items()
        for line, sentence in errors
    ]


def mistakes(assignment: Assignment) -> list[Mistake]:
    """Return all known mistakes of the assignment, in the order of its exercises.

    Raise `GraderError` if a catalogue has an error.
    """
    by_exercise, errors = read_mistakes(assignment)
    for sentence in errors:
        raise GraderError(sentence)
    return [mistake for exercise_mistakes in by_exercise.values() for mistake in exercise_mistakes]


def catalogue_file(assignment: Assignment, name: str) -> Path:
    """Return the path of the catalogue with this name: an exercise's id, or "operators"."""
    return assignment.graders / "mistakes" / f"{name}.md"


def _operators(assignment: Assignment) -> tuple[Operators, Errors]:
    """Return the shared entries by id, and the errors in those of this assignment.

    Entries of this assignment replace entries of all assignments with the same id.
    """
    shared, _ = read_operators(OPERATORS.read_text(encoding="utf-8"))
    file = catalogue_file(assignment, OPERATORS.stem)
    own_operators, errors = read_operators(
        file.read_text(encoding="utf-8") if file.is_file() else ""
    )
    return {**shared, **own_operators}, errors


def pairs(assignment: Assignment) -> list[tuple[Mistake, Mistake]]:
    """Return the pairs of mistakes that the diagnosis must tell apart when both are made.

    A catalogue lists them after `beside:`. Raise `GraderError` if it names a mistake that does not
    exist.
    """
    by_name = {f"{mistake.exercise}/{mistake.id}": mistake for mistake in mistakes(assignment)}
    for mistake in by_name.values():
        for name in mistake.beside:
            if name not in by_name:
                raise GraderError(
                    f"`mistakes/{mistake.exercise}.md`, line {mistake.line}: there is no mistake `{name}`"
                )
    return [(mistake, by_name[name]) for mistake in by_name.values() for name in mistake.beside]


def merge(text: str, changed_a: str, changed_b: str) -> str | None:
    """Return `text` with the changes of two edited versions of it.

    Return None if both change the same piece.
    """
    changes = sorted({*_changes(text, changed_a), *_changes(text, changed_b)})
    if any(begin < end or begin == start for (start, end, _), (begin, _, _) in pairwise(changes)):
        return None
    tokens = TOKEN.findall(text)
    for begin, end, replacement in reversed(changes):
        tokens[begin:end] = replacement
    return "".join(tokens)


@lru_cache(maxsize=2_000)
def _changes(text: str, changed: str) -> tuple[Change, ...]:
    old, new = TOKEN.findall(text), TOKEN.findall(changed)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((i, j, tuple(new[k:n])) for kind, i, j, k, n in steps if kind != "equal")
