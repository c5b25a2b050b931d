"""The correct variants of an assignment: what students may write in other ways, for full marks."""

from pathlib import Path
from typing import NamedTuple

from autograder.engine.assignment import Assignment

TOGETHER, SHEETS = "together", "sheets"  # folders of variants that have a folder each
SEVERAL = TOGETHER, SHEETS


class Variant(NamedTuple):
    """Cells that take the place of the solution's, by exercise."""

    name: str
    cells: dict[str, str]
    path: str  # its file or folder, from the graders' folder on

    @property
    def may_be_mixed(self) -> bool:
        """Whether each cell is right beside the cells of other variants, too."""
        return f"/{TOGETHER}/" not in self.path


def variants(assignment: Assignment) -> list[Variant]:
    """Return the variants in the folder `variants/` of the assignment's graders, in their order.

    A variant of one exercise is `<exercise>/<name>.py`; one of several has a folder with a file for
    each exercise: `sheets/<name>/` where each of its cells is also right alone, `together/<name>/` where
    one needs another, or the solution's.
    """
    top = assignment.graders / "variants"
    alone = [
        Variant(
            f"{file.parent.name}: {file.stem}",
            {file.parent.name: _text(file)},
            file.relative_to(assignment.graders).as_posix(),
        )
        for file in sorted(top.glob("*/*.py"))
        if file.parent.name not in SEVERAL
    ]
    several = [
        Variant(
            folder.name,
            {file.stem: _text(file) for file in sorted(folder.glob("*.py"))},
            f"{folder.relative_to(assignment.graders).as_posix()}/",
        )
        for kind in SEVERAL
        for folder in sorted(top.glob(f"{kind}/*"))
        if folder.is_dir()
    ]
    return alone + [variant for variant in several if variant.cells]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
