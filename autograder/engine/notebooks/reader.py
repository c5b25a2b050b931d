"""Parse a submitted notebook strictly: sources, ids and pasted pictures of its cells.

The rest (outputs, other metadata) is never built in memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from autograder.engine.files.reading import NotRegular, TooLarge, read_regular
from autograder.engine.limits.bounded import OutOfBounds, run_bounded
from autograder.engine.notebooks import json_parts
from autograder.engine.notebooks.file_kind import file_kind, is_archive
from autograder.engine.notebooks.json_parts import Conflict, Damaged, is_list, members, text
from autograder.engine.placing import MOST_CELLS, MOST_CODE
from autograder.engine.texts.printable import printable

MAX_BYTES = 256 << 20  # with its outputs, which are never built in memory
MAX_NAME = 200  # characters of an id; a longer id is ignored
MAX_ATTACHMENTS = 100  # of a notebook

Kind = Literal["code", "markdown", "raw"]


class Unreadable(Exception):
    """The file is not a notebook that can be graded. The message has the reason and the remedy."""


@dataclass(frozen=True)
class SubmittedCell:
    """A cell of a submitted notebook. Its ids may be wrong. Missing or very long ids are None."""

    kind: str  # "code", "markdown", "raw"
    source: str
    id: str | None  # the notebook format's
    grade_id: str | None  # nbgrader's
    # files pasted into a written answer by name, each in base64 by MIME type
    attachments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """nbgrader's id and the cell's own, as far as the file has them."""
        return tuple(dict.fromkeys(name for name in (self.grade_id, self.id) if name))


class _Cell(Struct, gc=False):
    """The part of a cell that is parsed first, to count the cells."""

    cell_type: Kind


COUNTED, LISTED, KIND = map(msgspec.json.Decoder, (list[_Cell], list[Raw], Kind))


def read_notebook(path: Path, top: Path | None = None) -> list[SubmittedCell]:
    """Return the cells of a notebook file.

    `top`: the folder below which no link is followed, by default the file's own. Raise `Unreadable`
    if the notebook cannot be graded, `NoAnswer` if the machine ended the process that parses it.
    """
    name = printable(path.name)
    try:
        return run_bounded(lambda: parse_notebook(notebook_bytes(path, top or path.parent), name))
    except OutOfBounds as error:
        raise Unreadable(f"`{name}` {error} to be read; hand in the assignment alone.") from error


def notebook_bytes(path: Path, top: Path) -> bytes:
    """Return the bytes of a notebook file, without following a link below the folder `top`.

    Raise `Unreadable` if the file is missing, is not a regular file, is too large or cannot be
    opened.
    """
    name = printable(path.name)
    try:
        return read_regular(path, MAX_BYTES, top)
    except NotRegular as error:
        raise Unreadable(f"{error}; hand in the notebook itself.") from error
    except TooLarge as error:
        raise _too_large(name, error.size) from error
    except FileNotFoundError as error:
        raise Unreadable(
            f"There is no notebook `{name}`, nor one alone under another name; hand in just that one."
        ) from error
    except OSError as error:
        raise Unreadable(f"`{name}` cannot be opened: {error.strerror}.") from error


def parse_notebook(data: bytes, name: str) -> list[SubmittedCell]:
    """Return the cells of a notebook with the bytes `data`. `name`: the file's, for messages.

    Raise `Unreadable` if it cannot be graded, and nothing else.
    """
    if len(data) > MAX_BYTES:
        raise _too_large(name, len(data))
    if not data.strip():
        raise Unreadable(f"`{name}` is empty; save the notebook and hand it in again.")
    _refuse_other_kinds(data, name)
    try:
        return _cells(json_parts.parse(data), name)
    except UnicodeDecodeError as error:
        raise Unreadable(f"`{name}` is not UTF-8 text; save it from Jupyter again.") from error
    except Conflict as error:
        raise Unreadable(
            f"`{name}` has git's conflict markers ({error}); keep one version there, save it from "
            "Jupyter and hand it in again."
        ) from error
    except (Damaged, RecursionError) as error:
        location = str(error) if isinstance(error, Damaged) else " (too much in each other)"
        raise _damaged(name, location) from error


def _refuse_other_kinds(data: bytes, name: str) -> None:
    kind = file_kind(data)
    if is_archive(kind):
        raise Unreadable(f"`{name}` is {kind}; unpack it and hand in the notebook itself.")
    if kind:
        raise Unreadable(f"`{name}` is {kind}; download the notebook itself and hand that in.")


def _damaged(name: str, location: str) -> Unreadable:
    return Unreadable(
        f"`{name}` is no notebook: its JSON is damaged{location}; save it from Jupyter again."
    )


def _cells(notebook: Raw, name: str) -> list[SubmittedCell]:
    """Return the cells of a notebook that was parsed as JSON. `name`: the file's, for messages.

    Raise `Unreadable` if they have another form or exceed a limit, `Damaged` if a part is not valid
    JSON.
    """
    listed = members(notebook).get("cells")
    if listed is None or not is_list(listed):
        raise Unreadable(f"`{name}` is no notebook with cells; save it from Jupyter again.")
    try:
        number = len(COUNTED.decode(listed))
    except msgspec.ValidationError as error:
        raise Unreadable(
            f"`{name}` has a cell that is none; save it from Jupyter again."
        ) from error
    if number > MOST_CELLS:
        raise Unreadable(
            f"`{name}` has more than {MOST_CELLS} cells; hand in the assignment alone."
        )
    cells = [_submitted(cell, name) for cell in LISTED.decode(listed)]
    if sum(len(cell.source) for cell in cells if cell.kind == "code") > MOST_CODE:
        raise Unreadable(
            f"`{name}` has more than {MOST_CODE:,} characters of code; hand in the assignment alone."
        )
    if sum(len(cell.attachments) for cell in cells) > MAX_ATTACHMENTS:
        raise Unreadable(f"`{name}` has more than {MAX_ATTACHMENTS} pictures; hand in fewer.")
    return cells


def _submitted(cell: Raw, name: str) -> SubmittedCell:
    parts = members(cell)
    kind = KIND.decode(parts["cell_type"])
    source = text(parts.get("source")) if "source" in parts else ""
    if source is None:
        raise Unreadable(f"`{name}` has a cell without text; save it from Jupyter again.")
    metadata = members(parts.get("metadata"))
    nbgrader_metadata = members(metadata.get("nbgrader"))
    return SubmittedCell(
        kind=kind,
        source=source,
        id=_id(parts.get("id")) or _id(metadata.get("id")),  # Colab puts the id there
        grade_id=_id(nbgrader_metadata.get("grade_id")),
        attachments=_attachments(parts.get("attachments")) if kind == "markdown" else {},
    )


def _id(part: Raw | None) -> str | None:
    name = None if part is None or is_list(part) else text(part)
    return name if name and len(name) <= MAX_NAME else None


def _attachments(part: Raw | None) -> dict[str, dict[str, str]]:
    """Return the files pasted into a cell by name, each in base64 by MIME type.

    Entries of another form are left out.
    """
    files = {}
    for name, file in members(part).items():
        forms = {mime: data for mime, form in members(file).items() if (data := text(form))}
        if forms and len(name) <= MAX_NAME:
            files[name] = forms
    return files


def _too_large(name: str, size: int) -> Unreadable:
    return Unreadable(f"`{name}` has {size >> 20} MiB; clear its outputs and hand it in again.")
