"""The correct variants of an assignment, which earn full marks."""

from pathlib import Path
from typing import NamedTuple

from autograder.engine import Assignment, Pattern

TOGETHER, SHEETS = "together", "sheets"  # folders of variants that have a file each
CELL = Pattern(r"(?m)^# %% (\w+)\n")  # the beginning of a cell, as editors show it


class Variant(NamedTuple):
    """A correct solution that is written differently: replacements for the solution's cells."""

    name: str
    cells: dict[str, str]  # by exercise
    path: str  # its file below the graders' folder, and its name if the file has several variants


def variants(assignment: Assignment) -> list[Variant]:
    """Return the variants in the folder `variants/` of the assignment's graders.

    Variants of one exercise come first, then those in `together/`, then those in `sheets/`, each
    sorted by file. Raises `OSError` or `UnicodeDecodeError` if a file cannot be read.

    Variants of one exercise are in `<exercise>.py`, a cell each, below `# %% <name>`. A variant of
    several exercises has its own file with a cell for each, below `# %% <exercise>`:
    `sheets/<name>.py` if each cell is also correct alone, `together/<name>.py` if a cell depends on
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
    """Return the cells in a file of variants, by the names above them."""
    _, *parts = CELL.split(file.read_text(encoding="utf-8"))
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {name: text.rstrip("\n") + "\n" for name, text in pairs}
