"""Mistakes in other people's code: edits of correct variants, in `mistakes/in_variants.md`.

The diagnosis is measured with them: unlike the catalogue they are no edits of the solution. An entry:

    ## attention in keras  named: mask_upside_down       an exercise, a variant that has it
    > The mask keeps its own meaning.                    for whoever reads this
    - mask = 1.0 - attention_mask.float()                what stands in its cell once
    + mask = attention_mask.float()                      and what takes its place

Where the same code may come of two mistakes, both are named; where the catalogue has none of it, nothing is.
An entry may have several edits: the next one begins behind a line with `+`, or an empty one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.authoring.variants import variants
from autograder.engine.catalogue.blocks import Block, Edit, read_blocks
from autograder.engine.course.assignment import Assignment
from autograder.engine.course.mistake import IN_VARIANTS, Mistake, catalogue_file, read_mistakes
from autograder.text.patterns import Pattern

TITLE = Pattern(r"(?P<exercise>\w+) in (?P<variant>.+?)(?:\s+named:(?P<ids>.*))?")


@dataclass(frozen=True)
class WrongVariant:
    """A variant with a mistake in one of its cells."""

    id: str
    path: str  # of the variant
    cells: dict[str, str]
    named: tuple[Mistake, ...]
    unnamed: str  # its exercise, where the catalogue does not have the mistake


class BadEntry(ValueError):
    """An entry that cannot be; the message says why. `line`: where, if not in its heading."""

    def __init__(self, said: str, line: int = 0):
        super().__init__(said)
        self.line = line


def read_in_variants(assignment: Assignment) -> tuple[list[WrongVariant], list[str]]:
    """Return the variants with mistakes in them, and what cannot be read, in sentences."""
    file = catalogue_file(assignment, IN_VARIANTS)
    if not file.is_file():
        return [], []
    (_, *blocks), errors = read_blocks(file.read_text(encoding="utf-8"))
    catalogues, _ = read_mistakes(assignment)
    known = {(one.exercise, one.id): one for some in catalogues.values() for one in some}
    right = {variant.name: variant for variant in variants(assignment)}
    found = []
    for block in blocks:
        try:
            exercise, name, ids = _title(block)
            variant = _known(right, name, "variant")
            cell = _known(variant.cells, exercise, f"cell in `{name}` of the exercise")
            cells = variant.cells | {exercise: _edited(cell, block.edits)}
            named = tuple(_known(known, (exercise, id), "mistake") for id in ids)
        except BadEntry as error:
            errors.append((error.line or block.line, str(error)))
        else:
            id = f"{name} ({block.line}), {exercise}: {' '.join(ids) or 'unnamed'}"
            found.append(WrongVariant(id, variant.path, cells, named, "" if ids else exercise))
    return found, [f"`mistakes/{file.name}`, line {line}: {said}" for line, said in sorted(errors)]


def _title(block: Block) -> tuple[str, str, list[str]]:
    """The exercise, the variant and the ids of mistakes that a heading names. Raises `BadEntry`."""
    found = TITLE.fullmatch(block.title)
    if not found:
        raise BadEntry(f"`{block.title}` is no `exercise in variant  named: mistake`")
    if not block.edits:
        raise BadEntry(f"`{block.title}` has no edit (a line with `- `, and one with `+ `)")
    return found["exercise"], found["variant"], (found["ids"] or "").split()


def _known(among: Mapping, key: str | tuple[str, str], kind: str) -> Any:
    """What is there under a key. Raises `BadEntry`."""
    if key not in among:
        name = "/".join(key) if isinstance(key, tuple) else key
        raise BadEntry(f"there is no {kind} `{name}`")
    return among[key]


def _edited(cell: str, edits: list[Edit]) -> str:
    """The cell with these edits. Raises `BadEntry`."""
    for edit in edits:
        if not edit.old:
            raise BadEntry("an edit has no line with `- `, of what stands in the cell", edit.line)
        if cell.count(edit.old) != 1:
            raise BadEntry(f"`{edit.old_lines[0]}` is not once in the cell", edit.line)
        cell = cell.replace(edit.old, edit.new)
    return cell
