"""The verdict's notes for staff beside the cells they are about, in formgrader only.

They travel in the metadata of the graded notebook's cells, which only formgrader's page reads: what
students get is made without them.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from autograder.engine.verdict.verdict import Verdict
from autograder.gradebook.check_cell import CODE

NOTES = "autograder_notes"  # the key in a cell's metadata


def notes_by_cell(verdict: Verdict, cells: Collection[str]) -> dict[str, list[str]]:
    """Return the notes by the first cell that each names; those that name none go to the first of
    `cells`.
    """
    placed: dict[str, list[str]] = defaultdict(list)
    for note in verdict.notes if cells else ():
        named = CODE.match(note)
        cell = named[1] if named and named[1] in cells else next(iter(cells))
        placed[cell].append(note)
    return dict(placed)


def notes_in(metadata: Mapping) -> list[str]:
    """Return the notes that are stored in a cell's metadata."""
    kept = metadata.get(NOTES)
    return [note for note in kept if isinstance(note, str)] if isinstance(kept, list) else []
