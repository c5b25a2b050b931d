"""Read the cells of an assignment's release, and the heading above each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.engine import Assignment, CourseError, Pattern, courses, find_assignment

HEADING = Pattern(r"(?m)^ {0,3}#{1,6} +(.+?)(?: *\([^()]*\))?[ #]*$")


@dataclass(frozen=True)
class Pristine:
    """The parts of an assignment's release that a page needs."""

    folder: Path | None = None  # with its pictures
    figures: Sequence[str] = ()  # addresses of figures embedded in the release
    cells: Mapping[str | None, str] | None = None  # headings by id, None without a release


def pristine_of(resources: Mapping) -> Pristine:
    """Return the release or source of the page's assignment, else an empty `Pristine`."""
    assignment = assignment_of(resources)
    if assignment is None:
        return Pristine()
    notebook = assignment.release if assignment.release.is_file() else assignment.source
    try:
        return read_pristine(notebook, notebook.stat().st_mtime_ns)
    except (OSError, ValueError):
        return Pristine()


def assignment_of(resources: Mapping) -> Assignment | None:
    """Return the assignment of a page in the nearest course above its folder, or None."""
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
    """Read a release or source notebook, cached by `changed`, the file's modification time in
    nanoseconds.

    A cell's heading is the last Markdown heading up to it, without points in parentheses. Raises
    `OSError` or `ValueError` if the notebook cannot be read.
    """
    texts, cells, heading = [], {}, ""
    for cell in json.loads(notebook.read_bytes())["cells"]:
        texts.append("".join(cell.get("source", "")))
        if cell.get("cell_type") == "markdown":
            heading = next(reversed(HEADING.findall(texts[-1])), heading)
        cells[cell.get("id")] = heading
    return Pristine(notebook.parent, sorted(courses.figures_in(texts)), cells)
