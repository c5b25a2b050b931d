"""The correct variants of an assignment, which earn full marks, and mistakes in them.

Mistakes in other people's code are edits of variants, in `mistakes/in_variants.md`. The diagnosis is
measured with them: unlike the catalogue they are no edits of the solution. An entry:

    ## attention in keras  named: mask_upside_down       an exercise, a variant that has it
    > The mask keeps its own meaning.                    for whoever reads this
    - mask = 1.0 - attention_mask.float()                what stands in its cell once
    + mask = attention_mask.float()                      and what takes its place

Where the same code may come of two mistakes, both are named; where the catalogue has none of it, nothing is.
An entry may have several edits: the next one begins behind a line with `+`, or an empty one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.engine.catalogue.blocks import Block, read_blocks
from autograder.engine.course.assignment import Assignment, GraderError
from autograder.engine.course.mistake import IN_VARIANTS, Mistake, catalogue_file, read_mistakes
from autograder.text.patterns import Pattern

TOGETHER, SHEETS = "together", "sheets"  # folders of variants that have a file each
CELL = Pattern(r"(?m)^# %% (\w+)\n")  # where one begins, as editors show it
TITLE = Pattern(r"(?P<exercise>\w+) in (?P<variant>.+?)(?:\s+named:(?P<ids>.*))?")


class Variant(NamedTuple):
    """Cells that take the place of the solution's, by exercise."""

    name: str
    cells: dict[str, str]
    path: str  # its file, from the graders' folder on, and where that has several its name there

    @property
    def may_be_mixed(self) -> bool:
        """Whether each cell is right beside the cells of other variants, too."""
        return f"/{TOGETHER}/" not in self.path


class WrongVariant(NamedTuple):
    """A variant with a mistake in the cell of one exercise; `named` is empty where no catalogue has it."""

    line: int  # of its entry
    variant: Variant
    exercise: str
    cell: str
    named: tuple[Mistake, ...]

    @property
    def id(self) -> str:
        names = " ".join(mistake.id for mistake in self.named)
        return f"{self.variant.name} ({self.line}), {self.exercise}: {names or 'unnamed'}"


def variants(assignment: Assignment) -> list[Variant]:
    """Return the variants in the folder `variants/` of the assignment's graders, in their order.

    Those of one exercise are in `<exercise>.py`, a cell each, below `# %% <name>`. One of several has a
    file with a cell for each, below `# %% <exercise>`: `sheets/<name>.py` where each of its cells is also
    right alone, `together/<name>.py` where one needs another, or the solution's.
    """
    top = assignment.graders / "variants"
    alone = [
        Variant(f"{file.stem}: {name}", {file.stem: text}, f"variants/{file.name}: {name}")
        for file in sorted(top.glob("*.py"))
        for name, text in cells_of(file).items()
    ]
    several = [
        Variant(file.stem, cells_of(file), f"variants/{kind}/{file.name}")
        for kind in (TOGETHER, SHEETS)
        for file in sorted(top.glob(f"{kind}/*.py"))
    ]
    return alone + [variant for variant in several if variant.cells]


def cells_of(file: Path) -> dict[str, str]:
    """Return the cells of a file by the names above them."""
    _, *parts = CELL.split(file.read_text(encoding="utf-8"))
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {name: text.rstrip("\n") + "\n" for name, text in pairs}


def wrong_variants(assignment: Assignment) -> list[WrongVariant]:
    """Return the mistakes in variants. Raises `GraderError` at the first entry that cannot be read."""
    file = catalogue_file(assignment, IN_VARIANTS)
    if not file.is_file():
        return []
    (_, *blocks), errors = read_blocks(file.read_text(encoding="utf-8"))
    for line, said in errors:
        raise _error(line, said)
    catalogues, _ = read_mistakes(assignment)
    known = {(one.exercise, one.id): one for some in catalogues.values() for one in some}
    right = {variant.name: variant for variant in variants(assignment)}
    return [_wrong_variant(block, right, known) for block in blocks]


def _wrong_variant(
    block: Block, right: Mapping[str, Variant], known: Mapping[tuple[str, str], Mistake]
) -> WrongVariant:
    """What an entry says. Raises `GraderError`."""
    line, found = block.line, TITLE.fullmatch(block.title)
    if not found:
        raise _error(line, f"`{block.title}` is no `exercise in variant  named: mistake`")
    if not block.edits:
        raise _error(line, f"`{block.title}` has no edit (a line with `- `, and one with `+ `)")
    exercise, name = found["exercise"], found["variant"]
    if name not in right:
        raise _error(line, f"there is no variant `{name}`")
    if exercise not in right[name].cells:
        raise _error(line, f"there is no cell in `{name}` of the exercise `{exercise}`")
    ids = [(exercise, id) for id in (found["ids"] or "").split()]
    for missing in [id for id in ids if id not in known]:
        raise _error(line, f"there is no mistake `{'/'.join(missing)}`")
    cell = _edited(right[name].cells[exercise], block)
    return WrongVariant(line, right[name], exercise, cell, tuple(known[id] for id in ids))


def _edited(cell: str, block: Block) -> str:
    """The cell with the edits of an entry. Raises `GraderError`."""
    for edit in block.edits:
        if not edit.old:
            raise _error(edit.line, "an edit has no line with `- `, of what stands in the cell")
        if cell.count(edit.old) != 1:
            raise _error(edit.line, f"`{edit.old_lines[0]}` is not once in the cell")
        cell = cell.replace(edit.old, edit.new)
    return cell


def _error(line: int, said: str) -> GraderError:
    return GraderError(f"`mistakes/{IN_VARIANTS}.md`, line {line}: {said}")
