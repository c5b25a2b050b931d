"""Find the notebook's file and read it as it is saved, since the saved file is submitted."""

import json
import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autograder.engine.placing import MOST_CELLS, MOST_CODE

MAX_BYTES = 32 << 20
SKIPPED = "skip-grading"  # tag of provided cells that grading does not run
DOWNLOAD = "save it from Jupyter, or download it with File > Download as a notebook (.ipynb)"


class NoNotebook(Exception):
    """No notebook can be read. The message gives the reason and the remedy."""


class SavedCell(NamedTuple):
    """One cell of a notebook as it is saved."""

    kind: str  # "code", "markdown", "raw"
    source: str
    names: tuple[str, ...] = ()  # nbgrader's id, then the cell's own
    skipped: bool = False


def read_saved(path: Path) -> list[SavedCell]:
    """Return the cells of the notebook file at this path.

    Raises `NoNotebook` if it cannot be opened, is larger than MAX_BYTES or than grading reads, or
    is not a notebook.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise NoNotebook(f"`{path.name}` is too large: clear its outputs and save it.")
        content = path.read_bytes()
    except OSError as error:
        raise NoNotebook(f"`{path}` cannot be opened: {error.strerror}.") from error
    if content.lstrip().startswith(b"<"):
        raise NoNotebook(f"`{path.name}` is a web page, not a notebook: {DOWNLOAD}.")
    try:
        cells = cells_of(json.loads(content))
    except (ValueError, RecursionError) as error:
        raise NoNotebook(
            f"`{path.name}` is no notebook (its JSON is damaged): {DOWNLOAD}."
        ) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise NoNotebook(f"`{path.name}` is no notebook with cells: {DOWNLOAD}.") from error
    code = sum(len(cell.source) for cell in cells if cell.kind == "code")
    if len(cells) > MOST_CELLS or code > MOST_CODE:
        raise NoNotebook(
            f"`{path.name}` is longer than grading reads ({MOST_CELLS:,} cells, {MOST_CODE:,} "
            "characters of code): keep the assignment alone."
        )
    return cells


def cells_of(notebook: Any) -> list[SavedCell]:
    """Return the cells of a notebook, given as parsed JSON.

    Raises `KeyError`, `TypeError` or `AttributeError` if it has another form.
    """
    cells = []
    for cell in notebook["cells"]:
        metadata = cell.get("metadata") or {}
        names = (metadata.get("nbgrader") or {}).get("grade_id"), cell.get("id"), metadata.get("id")
        cells.append(
            SavedCell(
                str(cell["cell_type"]),
                "".join(cell.get("source", "")),
                tuple(dict.fromkeys(str(name) for name in names if name)),
                SKIPPED in (metadata.get("tags") or ()),
            )
        )
    return cells


def find_saved(space: Mapping[str, Any], known: Collection[str], how_to_name: str = ".") -> Path:
    """Return the path of the notebook that is running.

    VS Code stores the path in the notebook's namespace (`space`), Jupyter in the environment.
    Elsewhere, it is the only notebook in this folder that has cells with names in `known`. Raises
    `NoNotebook` if there is none or several. `how_to_name`: the end of that message.
    """
    running = str(space.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or "")
    if running.endswith(".ipynb"):
        for path in (Path(running), Path(Path(running).name)):
            if path.is_file():
                return path
    candidates = [path for path in sorted(Path().glob("*.ipynb")) if _has_one_of(path, known)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        names = ", ".join(path.name for path in candidates)
        raise NoNotebook(f"Several notebooks here could be meant: {names}. Name one{how_to_name}")
    raise NoNotebook(f"The saved notebook was not found here. Name it{how_to_name}")


def when_saved(path: Path) -> str:
    """Return a sentence with the name of the file at this path, and the time it was saved."""
    changed = path.stat().st_mtime
    minutes = int((time.time() - changed) // 60)
    count, unit = (minutes, "minute") if minutes < 120 else (minutes // 60, "hour")
    ago = f"{count} {unit}{'s' * (count > 1)} ago"
    clock_time = time.strftime("%d %B, %H:%M", time.localtime(changed))
    return f"Saved: {path.name}, {clock_time}, {ago if minutes else 'just now'}."


def cells_in_colab() -> list[SavedCell]:
    """Return the cells of the notebook that is open in Colab, or [] outside of Colab."""
    try:
        from google.colab import _message  # type: ignore[import-not-found, unused-ignore]

        return cells_of(_message.blocking_request("get_ipynb", timeout_sec=20)["ipynb"])
    except (ImportError, KeyError, TypeError, AttributeError):
        return []


def _has_one_of(path: Path, known: Collection[str]) -> bool:
    """Whether the file at this path is a notebook that has a cell with a name in `known`."""
    try:
        return any(name in known for cell in read_saved(path) for name in cell.names)
    except NoNotebook:
        return False
