"""Make and read graded notebooks, which formgrader and feedback pages show: the submission put back
into the pristine notebook, with points where nbgrader looks for them.
"""

import contextlib
import json
from functools import lru_cache
from pathlib import Path

import msgspec
import nbformat
from msgspec import Raw, Struct, field
from msgspec.structs import replace
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from nbgrader.preprocessors import LimitOutput

from autograder.classroom.blocks.cell import as_outputs
from autograder.classroom.blocks.verdict_blocks import verdict_blocks
from autograder.engine import Assignment, Submission, Verdict, courses, files, verdicts

STAMP = "autograder"  # the key under which a notebook's metadata say which verdict it shows
WHY = "autograder_counts"  # the key for why it is this submission that counts
VERDICT = "autograder_verdict"  # the key for the verdict itself, which is for `verdict_blocks`
MAX_BYTES = 256 << 20  # of a graded notebook, whose pictures may have 32 MiB
MAX_END = 64 << 10  # bytes at its end, in which those usually are
METADATA = f'"metadata":{{"{STAMP}":'.encode()  # of the whole: no text has quotes like these


def repaired_notebook(assignment: Assignment, submission: Submission) -> NotebookNode:
    """Return the submission as a notebook: the pristine notebook's cells and metadata, in them the
    student's texts and pictures, no outputs.
    """
    notebook = _copied(_parsed(assignment.pristine))
    pristine = {cell.id: cell for cell in notebook.cells}
    make = {"code": new_code_cell, "markdown": new_markdown_cell}
    cells = []
    for submitted in submission.cells:
        cell = pristine.get(submitted.id) or make.get(submitted.kind, new_raw_cell)(id=submitted.id)
        cell.source = submitted.source
        if not submitted.as_released:
            cell.pop("attachments", None)
            cell.metadata.pop("jupyter", None)  # what a student wrote is not folded away
        if submitted.pictures:
            cell.attachments = nbformat.from_dict(
                {name: {one.mime: one.encoded} for name, one in submitted.pictures.items()}
            )
        cells.append(cell)
    notebook.cells = cells
    return notebook


@lru_cache(maxsize=2)
def _parsed(pristine: str) -> NotebookNode:
    """Parse a pristine notebook's JSON, and join each cell's source to one string; cached."""
    notebook = nbformat.from_dict(json.loads(pristine))
    for cell in notebook.cells:
        cell.source = "".join(cell.source)
    return notebook


def _copied(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of the notebook whose cells and metadata may be changed; all else is shared
    with the original.
    """
    cells = [NotebookNode(cell, metadata=_copied_metadata(cell)) for cell in notebook.cells]
    return NotebookNode(notebook, metadata=_copied_metadata(notebook), cells=cells)


def _copied_metadata(owner: NotebookNode) -> NotebookNode:
    return NotebookNode(
        (key, NotebookNode(value) if isinstance(value, dict) else value)
        for key, value in owner.metadata.items()
    )


def graded_notebook(
    assignment: Assignment,
    submission: Submission,
    verdict: Verdict,
    outputs: dict[str, list[dict]],
    why: str = "",
) -> NotebookNode:
    """Return the submission as `repaired_notebook` makes it, with the results of checks, the
    points, the outputs of the student's cells (`outputs`, by cell id), and the verdict in its
    metadata.

    `why`: why this submission counts, "" if it is the newest.
    """
    notebook = repaired_notebook(assignment, submission)
    made = {courses.CHECK + id: blocks for id, blocks in verdict_blocks(verdict, "student").items()}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            blocks = made.get(cell.id)
            shown = as_outputs(blocks) if blocks else outputs.get(cell.id, ())
            cell.outputs = [nbformat.from_dict(one) for one in shown]  # `new_output` validates each
    notebook.metadata[STAMP] = stamp_to_json(verdict)
    notebook.metadata[VERDICT] = nbformat.from_dict(replace(verdict, seconds=0.0).to_json())
    if why:
        notebook.metadata[WHY] = why
    return LimitOutput().preprocess(notebook, {})[0]


def stamp_to_json(verdict: Verdict) -> dict:
    """Return the verdict's stamp as plain values, as it is stored in a graded notebook's metadata."""
    return msgspec.to_builtins(verdict.stamp)


def as_bytes(notebook: NotebookNode) -> bytes:
    """Serialise a notebook as JSON; this is ten times as fast as the module `json`."""
    return ENCODER.encode(notebook) + b"\n"


def shown_in(notebook: Path) -> tuple[verdicts.Stamp, str]:
    """Return the stamp of the verdict that a graded notebook shows, and why that submission counts
    ("" if it is the newest).

    `notebook`: the path of the file. If this project wrote it, only its end is parsed. Raises
    `ValueError` if it shows no verdict; `OSError`, `RecursionError` if it cannot be read.
    """
    end = files.read_end(notebook, MAX_END)
    _, begin, metadata = end.rpartition(METADATA)
    if begin:
        with contextlib.suppress(msgspec.DecodeError):
            return GRADED.decode(b"{" + begin + metadata).metadata.shown
    return GRADED.decode(files.read_named(notebook, MAX_BYTES)).metadata.shown


ENCODER = msgspec.json.Encoder(order="sorted")


class _Metadata(Struct):
    """The keys of a graded notebook's metadata that we wrote."""

    stamp: verdicts.Stamp = field(name=STAMP)
    verdict: Raw = field(name=VERDICT)
    why: str = field(name=WHY, default="")

    @property
    def shown(self) -> tuple[verdicts.Stamp, str]:
        return self.stamp, self.why


class _Graded(Struct):
    """A graded notebook as it is parsed for `shown_in`, without its cells."""

    metadata: _Metadata


GRADED = msgspec.json.Decoder(_Graded)


def verdict_in(notebook: NotebookNode) -> Verdict | None:
    """Return the verdict stored in the metadata of a graded notebook; None if the notebook holds no
    verdict, or one that cannot be parsed.
    """
    try:
        return verdicts.from_json(notebook.metadata.get(VERDICT))
    except ValueError:
        return None
