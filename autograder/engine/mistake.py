"""The known mistakes of an assignment, and two of them made at once.

Those of an exercise are in `mistakes/<exercise>.md` of its graders, in the format of `catalogue/`.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from autograder.engine.assignment import Assignment, GraderError
from autograder.engine.catalogue.entries import Catalogue, Mistake

TOKEN = re.compile(r"\w+|\s+|.")
Change = tuple[int, int, tuple[str, ...]]  # from token, to token, what stands there instead


def catalogues(assignment: Assignment) -> dict[str, Catalogue]:
    """Return the catalogue of each exercise that has one, with whatever cannot be read of it."""
    folder = assignment.graders / "mistakes"
    texts = {
        one.id: file.read_text(encoding="utf-8")
        for one in assignment.exercises
        if (file := folder / f"{one.id}.md").is_file()
    }
    return {
        id: Catalogue(id, text, assignment.marked_solutions[id], texts)
        for id, text in texts.items()
        if id in assignment.marked_solutions
    }


def mistakes(assignment: Assignment) -> list[Mistake]:
    """Return the assignment's known mistakes, in the order of its exercises. Raises `GraderError`."""
    found: list[Mistake] = []
    for id, catalogue in catalogues(assignment).items():
        for line, sentence in catalogue.errors:
            raise GraderError(f"`mistakes/{id}.md`, line {line}: {sentence}")
        found += catalogue.mistakes
    return found


def pairs(assignment: Assignment) -> list[tuple[Mistake, Mistake]]:
    """Return the mistakes that have to be told apart when they are made together.

    Raises `GraderError`.
    """
    known = {f"{mistake.exercise}/{mistake.id}": mistake for mistake in mistakes(assignment)}
    for one in known.values():
        for other in one.beside:
            if other not in known:
                raise GraderError(
                    f"`mistakes/{one.exercise}.md`, line {one.line}: there is no mistake `{other}`"
                )
    return [(one, known[other]) for one in known.values() for other in one.beside]


class Overlap(ValueError):
    """Both change the same piece."""


def merge(text: str, one: str, other: str) -> str:
    """Return the text with the changes that made `one` and `other` of it. Raises `Overlap`."""
    changes = sorted({*_changes(text, one), *_changes(text, other)})
    for (first, end, _), (begin, _, _) in pairwise(changes):
        if begin < end or begin == first:
            raise Overlap(f"two changes of what stands at token {begin}")
    tokens = TOKEN.findall(text)
    for begin, end, new in reversed(changes):
        tokens[begin:end] = new
    return "".join(tokens)


@lru_cache(maxsize=2_000)
def _changes(text: str, changed: str) -> tuple[Change, ...]:
    old, new = TOKEN.findall(text), TOKEN.findall(changed)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((i, j, tuple(new[k:n])) for kind, i, j, k, n in steps if kind != "equal")
