"""Downloads, and the assignment that the names in them say."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from autograder.collect.archive import open_download
from autograder.engine.assignment import Assignment
from autograder.engine.course import Course
from autograder.engine.which import cannot_tell, every, in_name
from autograder.platforms.download import Download, may_hold_notebook
from autograder.text import printable

CLEAR = 2  # times as many names must say one assignment as say all others


def open_downloads(paths: list[Path], platform: str | None = None) -> list[Download]:
    """Open each of them once. Raises `NoDownload`, `OSError`."""
    return [replace(open_download(path, platform=platform), place=path) for path in paths]


def told_by_names(downloads: list[Download], course: Course) -> Assignment:
    """Return the assignment after which notebooks, or folders that nbgrader made, are called.

    A few that are called after another one change nothing: each is then looked at by its cells.
    Raises `UnknownAssignment` where the names say none, or several.
    """
    known = {one.id: one for one in every(course)}
    if len(known) == 1:
        return next(iter(known.values()))
    names = [file.parts for download in downloads for file in download.files]
    said = Counter(id for parts in names for id in set(_said_by(parts, list(known))))
    most = [id for id, count in said.items() if count > CLEAR * (said.total() - count)]
    if most:
        return known[most[0]]
    where = " and ".join(f"`{printable(download.name)}`" for download in downloads)
    several = f"There are notebooks of {' and of '.join(sorted(said))} in {where}"
    nothing = f"No name in {where} says of which assignment it is"
    raise cannot_tell(several if said else nothing, sorted(said or known))


def _said_by(parts: tuple[str, ...], ids: list[str]) -> list[str]:
    """The assignments that a file's path says: by its own name, else by its folders' names."""
    if not may_hold_notebook(parts[-1]):
        return []
    return in_name(parts[-1], ids) or [id for part in parts[:-1] for id in in_name(part, ids)]
