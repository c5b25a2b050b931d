"""Make and read graded notebooks for formgrader and feedback, from pristine notebooks."""

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

STAMP = "autograder"  # key of the verdict's stamp in a notebook's metadata
WHY = "autograder_counts"  # key of the reason why this submission counts
VERDICT = "autograder_verdict"  # key of the verdict itself, for `verdict_blocks`
MAX_BYTES = 256 << 20  # of a graded notebook, whose pictures may have 32 MiB
MAX_END = 64 << 10  # bytes at its end, which usually contain these keys
# of the notebook, because quotes in texts are escaped
METADATA = f'"metadata":{{"{STAMP}":'.encode()


def repaired_notebook(assignment: Assignment, submission: Submission) -> NotebookNode:
    """Return the pristine notebook with the student's texts and pictures, without outputs."""
    notebook = _copied(_parsed(assignment.pristine))
    pristine = {cell.id: cell for cell in notebook.cells}
    make = {"code": new_code_cell, "markdown": new_markdown_cell}
    cells = []
    for submitted in submission.cells:
        cell = pristine.get(submitted.id) or make.get(submitted.kind, new_raw_cell)(id=submitted.id)
        cell.source = submitted.source
        if not submitted.as_released:
            cell.pop("attachments", None)
            cell.metadata.pop("jupyter", None)  # never fold a student's text
        if submitted.pictures:
            cell.attachments = nbformat.from_dict(
                {name: {image.mime: image.encoded} for name, image in submitted.pictures.items()}
            )
        cells.append(cell)
    notebook.cells = cells
    return notebook


@lru_cache(maxsize=2)
def _parsed(pristine: str) -> NotebookNode:
    """Parse a pristine notebook's JSON, and join each cell's source to a string."""
    notebook = nbformat.from_dict(json.loads(pristine))
    for cell in notebook.cells:
        cell.source = "".join(cell.source)
    return notebook


def _copied(notebook: NotebookNode) -> NotebookNode:
    """Return a copy with its own cells and metadata. Everything else is shared with the original."""
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
    """Return the submission as `repaired_notebook` makes it, with results of checks, points,
    outputs of the student's cells (`outputs`, by cell id), and the verdict in its metadata.

    `why`: the reason why this submission counts, "" for the newest.
    """
    notebook = repaired_notebook(assignment, submission)
    blocks_by_cell = {
        courses.CHECK + id: blocks for id, blocks in verdict_blocks(verdict, "student").items()
    }
    for cell in notebook.cells:
        if cell.cell_type == "code":
            blocks = blocks_by_cell.get(cell.id)
            cell_outputs = as_outputs(blocks) if blocks else outputs.get(cell.id, ())
            # `new_output` would validate each output
            cell.outputs = [nbformat.from_dict(output) for output in cell_outputs]
    notebook.metadata[STAMP] = stamp_to_json(verdict)
    notebook.metadata[VERDICT] = nbformat.from_dict(replace(verdict, seconds=0.0).to_json())
    if why:
        notebook.metadata[WHY] = why
    return LimitOutput().preprocess(notebook, {})[0]


def stamp_to_json(verdict: Verdict) -> dict:
    """Return the verdict's stamp as plain values, as stored in a graded notebook's metadata."""
    return msgspec.to_builtins(verdict.stamp)


def as_bytes(notebook: NotebookNode) -> bytes:
    """Serialise a notebook as JSON, ten times as fast as the module `json`."""
    return ENCODER.encode(notebook) + b"\n"


def shown_in(notebook: Path) -> tuple[verdicts.Stamp, str]:
    """Return the stamp of a graded notebook's verdict, and the reason why that submission counts
    ("" for the newest).

    `notebook`: path of the file. If this project wrote it, only its end is parsed. Raises
    `ValueError` if it has no verdict, `OSError` or `RecursionError` if it cannot be read.
    """
    end = files.read_end(notebook, MAX_END)
    _, begin, metadata = end.rpartition(METADATA)
    if begin:
        with contextlib.suppress(msgspec.DecodeError):
            return GRADED.decode(b"{" + begin + metadata).metadata.shown
    return GRADED.decode(files.read_named(notebook, MAX_BYTES)).metadata.shown


ENCODER = msgspec.json.Encoder(order="sorted")


class _Metadata(Struct):
    """Our keys in a graded notebook's metadata."""

    stamp: verdicts.Stamp = field(name=STAMP)
    verdict: Raw = field(name=VERDICT)
    why: str = field(name=WHY, default="")

    @property
    def shown(self) -> tuple[verdicts.Stamp, str]:
        return self.stamp, self.why


class _Graded(Struct):
    """A graded notebook without its cells, as parsed by `shown_in`."""

    metadata: _Metadata


GRADED = msgspec.json.Decoder(_Graded)


def verdict_in(notebook: NotebookNode) -> Verdict | None:
    """Return the verdict in a graded notebook's metadata, None if missing or invalid."""
    try:
        return verdicts.from_json(notebook.metadata.get(VERDICT))
    except ValueError:
        return None
