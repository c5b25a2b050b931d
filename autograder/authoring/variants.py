"""The correct variants of an assignment, which earn full marks, and the mistakes that are edits of
variants.

`mistakes/in_variants.md` has mistakes in code that differs from the solution; diagnosis is measured
with them. An entry:

    ## attention in keras  named: mask_upside_down       an exercise, a variant that has it
    > The mask keeps its own meaning.                    a remark for the reader
    - mask = 1.0 - attention_mask.float()                code that is in its cell exactly once
    + mask = attention_mask.float()                      its replacement

`named:` lists the mistakes that diagnosis may name: several where the same code can come from
either, none where the catalogue lacks it. An entry may have several edits: the next one begins
after a line with `+`, or after an empty line.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.engine.catalogue.blocks import Block, read_blocks
from autograder.engine.course.assignment import Assignment
from autograder.engine.course.cells import GraderError
from autograder.engine.course.mistake import IN_VARIANTS, Mistake, catalogue_file, read_mistakes
from autograder.text.patterns import Pattern

TOGETHER, SHEETS = "together", "sheets"  # folders of variants that have a file each
CELL = Pattern(r"(?m)^# %% (\w+)\n")  # where one begins, as editors show it
TITLE = Pattern(r"(?P<exercise>\w+) in (?P<variant>.+?)(?:\s+named:(?P<ids>.*))?")


class Variant(NamedTuple):
    """A correct solution that is written in another way: cells that replace the solution's, by
    exercise.
    """

    name: str
    cells: dict[str, str]
    path: str  # its file, from the graders' folder on, and where that has several its name there

    @property
    def may_be_mixed(self) -> bool:
        """Whether each of its cells is also correct beside cells of other variants."""
        return f"/{TOGETHER}/" not in self.path


class WrongVariant(NamedTuple):
    """A variant with a mistake in the cell of one exercise. `named` is empty if the catalogue does
    not have that mistake.
    """

    line: int  # of its entry
    variant: Variant
    exercise: str
    cell: str
    named: tuple[Mistake, ...]

    @property
    def id(self) -> str:
        """The variant, the line of the entry, the exercise and the mistakes, in one text."""
        names = " ".join(mistake.id for mistake in self.named)
        return f"{self.variant.name} ({self.line}), {self.exercise}: {names or 'unnamed'}"


def variants(assignment: Assignment) -> list[Variant]:
    """Return the variants in the folder `variants/` of the assignment's graders, sorted by file.

    Variants of one exercise are in `<exercise>.py`, a cell each, below `# %% <name>`. A variant of
    several exercises has its own file with a cell for each, below `# %% <exercise>`:
    `sheets/<name>.py` if each cell is also correct alone, `together/<name>.py` if one depends on
    another, or on the solution's.
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
    """Return the cells in a file of variants, by the names that stand above them."""
    _, *parts = CELL.split(file.read_text(encoding="utf-8"))
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {name: text.rstrip("\n") + "\n" for name, text in pairs}


def wrong_variants(assignment: Assignment) -> list[WrongVariant]:
    """Return the mistakes in variants; [] if the assignment has no file of them. Raises
    `GraderError` at the first entry that cannot be read.
    """
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
    """Return the mistake that an entry (`block`) describes. Raises `GraderError` if it names
    something unknown, or if its edits do not apply.

    `right`: all variants, by name; `known`: the catalogue, by exercise and id.
    """
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
    """Return the cell with the edits of an entry (`block`) applied. Raises `GraderError` if an
    edit's old code is not exactly once in the cell.
    """
    for edit in block.edits:
        if not edit.old:
            raise _error(edit.line, "an edit has no line with `- `, of what stands in the cell")
        if cell.count(edit.old) != 1:
            raise _error(edit.line, f"`{edit.old_lines[0]}` is not once in the cell")
        cell = cell.replace(edit.old, edit.new)
    return cell


def _error(line: int, said: str) -> GraderError:
    """Return the exception for a line of the file of mistakes in variants; `said`: what is wrong."""
    return GraderError(f"`mistakes/{IN_VARIANTS}.md`, line {line}: {said}")
