"""The known mistakes of an assignment, and cells with two of them.

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
Change = tuple[int, int, tuple[str, ...]]  # from token, to token, what stands there instead


def read_mistakes(assignment: Assignment) -> tuple[dict[str, list[Mistake]], list[str]]:
    """Return the known mistakes of each exercise that has a catalogue, by its id, and a sentence on
    each error in the catalogues; no error is raised.
    """
    files = {one.id: catalogue_file(assignment, one.id) for one in assignment.exercises}
    texts = {id: file.read_text(encoding="utf-8") for id, file in files.items() if file.is_file()}
    operators, errors = _operators(assignment)
    catalogues = {
        id: Catalogue(
            id, text, assignment.marked_solutions[id], texts, operators, assignment.marked_answers
        )
        for id, text in texts.items()
        if id in assignment.marked_solutions
    }
    wrong = {OPERATORS.stem: errors} | {id: one.errors for id, one in catalogues.items()}
    return {id: one.mistakes for id, one in catalogues.items()}, [
        f"`mistakes/{name}.md`, line {line}: {sentence}"
        for name, errors in wrong.items()
        for line, sentence in errors
    ]


def mistakes(assignment: Assignment) -> list[Mistake]:
    """Return all known mistakes of the assignment, in the order of its exercises.

    Raise `GraderError` if a catalogue has an error.
    """
    found, errors = read_mistakes(assignment)
    for sentence in errors:
        raise GraderError(sentence)
    return [one for of_exercise in found.values() for one in of_exercise]


def catalogue_file(assignment: Assignment, name: str) -> Path:
    """Return the path of the catalogue with this name: an exercise's id, or "operators" for what
    its exercises share.
    """
    return assignment.graders / "mistakes" / f"{name}.md"


def _operators(assignment: Assignment) -> tuple[Operators, Errors]:
    """Return the entries that exercises share, by id: those of all assignments and those of this
    one, which win if both have one id. Return also the errors in those of this assignment.
    """
    shared, _ = read_operators(OPERATORS.read_text(encoding="utf-8"))
    file = catalogue_file(assignment, OPERATORS.stem)
    own, errors = read_operators(file.read_text(encoding="utf-8") if file.is_file() else "")
    return {**shared, **own}, errors


def pairs(assignment: Assignment) -> list[tuple[Mistake, Mistake]]:
    """Return the pairs of mistakes that the diagnosis has to tell apart when both are made; a
    catalogue lists them after `beside:`.

    Raise `GraderError` if a catalogue names a mistake that does not exist.
    """
    known = {f"{mistake.exercise}/{mistake.id}": mistake for mistake in mistakes(assignment)}
    for one in known.values():
        for other in one.beside:
            if other not in known:
                raise GraderError(
                    f"`mistakes/{one.exercise}.md`, line {one.line}: there is no mistake `{other}`"
                )
    return [(one, known[other]) for one in known.values() for other in one.beside]


def merge(text: str, one: str, other: str) -> str | None:
    """Return `text` with the changes that lead from it to `one` and to `other`; None if both change
    the same piece.
    """
    changes = sorted({*_changes(text, one), *_changes(text, other)})
    if any(begin < end or begin == first for (first, end, _), (begin, _, _) in pairwise(changes)):
        return None
    tokens = TOKEN.findall(text)
    for begin, end, new in reversed(changes):
        tokens[begin:end] = new
    return "".join(tokens)


@lru_cache(maxsize=2_000)
def _changes(text: str, changed: str) -> tuple[Change, ...]:
    old, new = TOKEN.findall(text), TOKEN.findall(changed)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((i, j, tuple(new[k:n])) for kind, i, j, k, n in steps if kind != "equal")
