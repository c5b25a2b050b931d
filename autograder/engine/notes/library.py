"""Calls of a library where an exercise asked for an own layer: what the syntax trees show.

Each assignment says which parts of a library these are, by exercise: LIBRARY_PARTS, see
`assignment.py`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.engine.notes.code import BuiltName, Code, Statement

SHORT = (("torch.nn.functional.", "F."), ("torch.nn.", "nn."))  # as they are usually imported


@dataclass(frozen=True)
class Use:
    """A cell that uses a part of a library, for an exercise."""

    exercise: str
    cell: str
    part: str  # its dotted path, as the assignment has it
    lines: tuple[int, ...]


def library_uses(
    code: Code, parts: Mapping[str, Sequence[str]], answers: Mapping[str, Sequence[Statement]]
) -> Iterator[Use]:
    """Yield which of the parts that are named for an exercise its answer uses.

    A comparison with the library beside an answer is no part of it.
    """
    for exercise, wanted in parts.items():
        known: dict[str | BuiltName, list[str]] = {}  # which parts a path leads to
        found = defaultdict[tuple[str, str], set[int]](set)
        for statement in answers.get(exercise, ()):
            for node, path in code.references(statement):
                if path not in known:
                    known[path] = [part for part in wanted if is_part(path, part)]
                for part in known[path]:
                    found[statement.cell, part].add(getattr(node, "lineno", 0))
        for (cell, part), lines in found.items():
            yield Use(exercise, cell, part, tuple(sorted(lines)))


def is_part(path: str | BuiltName, part: str) -> bool:
    """Whether a path leads to this part of a library, be it by a road of the library's own."""
    if isinstance(path, BuiltName):
        return False
    top, name = part.partition(".")[0], part.rpartition(".")[2]
    return path.partition(".")[0] == top and name in (word.lstrip("_") for word in path.split("."))


def shown(path: str) -> str:
    """`torch.nn.functional.relu` -> `F.relu`"""
    for long, short in SHORT:
        if path.startswith(long):
            return short + path.removeprefix(long)
    return path
