"""The correct variants of an assignment: what students may write in other ways, for full marks."""

from pathlib import Path
from typing import NamedTuple

from autograder.engine.course.assignment import Assignment
from autograder.text.patterns import Pattern

TOGETHER, SHEETS = "together", "sheets"  # folders of variants that have a file each
SEVERAL = TOGETHER, SHEETS
CELL = Pattern(r"(?m)^# %% (\w+)\n")  # where one begins, as editors show it


class Variant(NamedTuple):
    """Cells that take the place of the solution's, by exercise."""

    name: str
    cells: dict[str, str]
    path: str  # its file, from the graders' folder on, and where that has several its name there

    @property
    def may_be_mixed(self) -> bool:
        """Whether each cell is right beside the cells of other variants, too."""
        return f"/{TOGETHER}/" not in self.path


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
        for kind in SEVERAL
        for file in sorted(top.glob(f"{kind}/*.py"))
    ]
    return alone + [variant for variant in several if variant.cells]


def cells_of(file: Path) -> dict[str, str]:
    """Return the cells of a file by the names above them."""
    _, *parts = CELL.split(file.read_text(encoding="utf-8"))
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {name: text.rstrip("\n") + "\n" for name, text in pairs}
