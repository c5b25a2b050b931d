"""Read from an assignment's release which cells of a page belong to the assignment, and the heading
above each.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.engine import Assignment, CourseError, Pattern, courses, find_assignment

HEADING = Pattern(r"(?m)^ {0,3}#{1,6} +(.+?)(?: *\([^()]*\))?[ #]*$")


@dataclass(frozen=True)
class Pristine:
    """What a page needs of an assignment's release: the folder with its pictures, the figures
    embedded in it, and each cell's heading.
    """

    folder: Path | None = None  # with its pictures
    figures: Sequence[str] = ()  # addresses of those that the release holds
    cells: Mapping[str | None, str] | None = (
        None  # their headings, by id; None: no release to compare with
    )


def pristine_of(resources: Mapping) -> Pristine:
    """Return the release of the page's assignment, or its source if it is not released yet; an
    empty `Pristine` if neither can be read.

    `resources`: nbconvert's, of the page.
    """
    assignment = assignment_of(resources)
    if assignment is None:
        return Pristine()
    notebook = assignment.release if assignment.release.is_file() else assignment.source
    try:
        return read_pristine(notebook, notebook.stat().st_mtime_ns)
    except (OSError, ValueError):
        return Pristine()


def assignment_of(resources: Mapping) -> Assignment | None:
    """Return the assignment of a page, looked up in the nearest course at or above the page's
    folder; None if there is none.

    `resources`: nbconvert's, of the page.
    """
    of_feedback = resources.get("nbgrader", {}).get("assignment")
    id = str(resources.get("assignment_id") or of_feedback)
    place = Path(resources["metadata"].get("path") or ".").absolute()
    for folder in (place, *place.parents):
        if (folder / courses.CONFIG).is_file():
            try:
                return find_assignment(id, courses.read_course(folder))
            except (CourseError, OSError, ValueError):
                return None
    return None


@lru_cache(maxsize=8)
def read_pristine(notebook: Path, changed: int) -> Pristine:
    """Read a release or source notebook; cached until `changed`, the file's modification time in
    nanoseconds, is another.

    A cell's heading is the last Markdown heading up to it, without points in parentheses. Raises
    `OSError`, `ValueError` if the notebook cannot be read.
    """
    texts, cells, heading = [], {}, ""
    for cell in json.loads(notebook.read_bytes())["cells"]:
        texts.append("".join(cell.get("source", "")))
        if cell.get("cell_type") == "markdown":
            heading = next(reversed(HEADING.findall(texts[-1])), heading)
        cells[cell.get("id")] = heading
    return Pristine(notebook.parent, sorted(courses.figures_in(texts)), cells)
