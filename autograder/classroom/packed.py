"""What a worker has to do, on its way there: bytes that the worker alone reads.

Dask's scheduler would take apart, and put together again, anything else, for which it would need this
package and the course. Both it and this process keep the last messages to each worker, so that they had
better be small: a submission travels without the cells that the worker has in its own release.
"""

import pickle
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from autograder.engine.assignment import PristineCell
from autograder.engine.fingerprint import RunSettings
from autograder.engine.submission import Cell, Submission

FAST = 1  # zlib's level
Packed = (
    str | tuple[Cell, str | None]
)  # a pristine cell's id; a cell, and the id of its pristine one


class _Call:
    """Unpickled, it is what the call returns."""

    def __init__(self, compressed: bytes):
        self.compressed = compressed

    def __reduce__(self) -> tuple:
        return _run, (self.compressed,)


def pack(task: Callable, settings: RunSettings, submission: Submission | None = None) -> bytes:
    """Return bytes that `pickle.loads` makes into what the task returns for these settings, and for this
    submission where there is one, on a worker that has the same release.

    Raises whatever `pickle` does; on the worker, that raises what the task does.
    """
    arguments = (settings,) if submission is None else (settings, *_without(settings, submission))
    return pickle.dumps(_Call(zlib.compress(pickle.dumps((task, *arguments)), FAST)))


def _without(settings: RunSettings, submission: Submission) -> tuple[Submission, list[Packed]]:
    """A submission without cells, and its cells without what is released."""
    pristine = {cell.id: cell for cell in settings.assignment.cells}
    return replace(submission, cells=[]), [_pack(cell, pristine) for cell in submission.cells]


def _run(compressed: bytes) -> object:
    task, settings, *rest = pickle.loads(zlib.decompress(compressed))
    if not rest:
        return task(settings)
    without_cells, cells = rest
    pristine = {cell.id: cell for cell in settings.assignment.cells}
    return task(settings, replace(without_cells, cells=[_unpack(one, pristine) for one in cells]))


def _pack(cell: Cell, pristine: Mapping[str, PristineCell]) -> Packed:
    own = cell.pristine
    if own is None or pristine.get(own.id) != own:
        return cell, None
    same = (cell.id, cell.kind, cell.source) == (own.id, own.kind, own.source)
    return own.id if same and not cell.pictures else (replace(cell, pristine=None), own.id)


def _unpack(packed: Packed, pristine: Mapping[str, PristineCell]) -> Cell:
    if isinstance(packed, str):
        own = pristine[packed]
        return Cell(own.id, own.kind, own.source, own)
    cell, id = packed
    return cell if id is None else replace(cell, pristine=pristine[id])
