"""Read a submitted notebook strictly: the text of its cells and the ids that they go by, no more."""

import json
from dataclasses import dataclass
from pathlib import Path

from autograder.files import NotRegular, TooLarge, read_regular

MAX_BYTES = 32 * 1024 * 1024
MAX_CELLS = 2_000
MAX_SOURCE = 200_000  # characters of all code cells together


class Unreadable(Exception):
    """This file is no notebook that can be graded; the message says why and what to do."""


@dataclass(frozen=True)
class SubmittedCell:
    kind: str  # "code", "markdown", "raw"
    source: str
    id: str | None
    grade_id: str | None


def read_notebook(path: Path) -> list[SubmittedCell]:
    """Return the cells of a notebook file. Raises `Unreadable`."""
    name = path.name.encode(errors="replace").decode()  # which may be no UTF-8
    try:
        data = read_regular(path, MAX_BYTES)
    except NotRegular as error:
        raise Unreadable(f"`{name}` is no regular file; hand in the notebook itself.") from error
    except TooLarge as error:
        raise Unreadable(
            f"`{name}` has {error.size >> 20} MiB; clear its outputs and hand it in again."
        ) from error
    except OSError as error:
        raise Unreadable(f"`{name}` cannot be opened: {error.strerror}.") from error
    return parse_notebook(data, name)


def parse_notebook(data: bytes, name: str) -> list[SubmittedCell]:
    """Return the cells of a notebook's bytes. Raises `Unreadable`, and nothing else."""
    if not data.strip():
        raise Unreadable(f"`{name}` is empty; save the notebook and hand it in again.")
    try:
        content = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_refuse
        )
    except UnicodeDecodeError as error:
        raise Unreadable(f"`{name}` is not UTF-8 text; save it from Jupyter again.") from error
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(
            f"`{name}` is no notebook: its JSON is damaged{where}; save it from Jupyter again."
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise Unreadable(f"`{name}` is no notebook with cells; save it from Jupyter again.")
    if len(content["cells"]) > MAX_CELLS:
        raise Unreadable(f"`{name}` has more than {MAX_CELLS} cells; hand in the assignment alone.")
    cells = [_submitted(cell, name) for cell in content["cells"]]
    if sum(len(cell.source) for cell in cells if cell.kind == "code") > MAX_SOURCE:
        raise Unreadable(f"`{name}` has more than {MAX_SOURCE} characters of code; hand in less.")
    return cells


def _submitted(cell: object, name: str) -> SubmittedCell:
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        raise Unreadable(f"`{name}` has a cell that is none; save it from Jupyter again.")
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"`{name}` has a cell without text; save it from Jupyter again.")
    metadata = cell.get("metadata")
    ours = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = ours.get("grade_id") if isinstance(ours, dict) else None
    return SubmittedCell(
        kind=cell["cell_type"],
        source=source.encode(errors="replace").decode(),  # a lone surrogate becomes "?"
        id=cell["id"] if isinstance(cell.get("id"), str) else None,
        grade_id=grade_id if isinstance(grade_id, str) else None,
    )


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _unique(pairs: list) -> dict:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)
