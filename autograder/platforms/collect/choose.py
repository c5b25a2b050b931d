"""Choose the assignment's notebook among a submission's files, for example for `sheet-3`:

sheet-3.ipynb, sheet-3 (1).ipynb         sheet-3.ipynb: exactly the assignment's name
work.zip with a/sheet-3.ipynb in it      a/sheet-3.ipynb
a.ipynb, b.ipynb, both with its cells    NotPlaced: 2 notebooks could be meant
sheet-2.ipynb with the cells of sheet-2  NotPlaced: it is the notebook of `sheet-2`
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from autograder.engine import (
    Assignment,
    AutograderError,
    Unreadable,
    courses,
    limits,
    notebooks,
    printable,
)
from autograder.platforms.collect.archive import open_inner
from autograder.platforms.collect.contents import NOTEBOOK_FILE, Content, read_within
from autograder.platforms.download import NOTEBOOK, Caps, may_hold_notebook

INNER_CAPS = Caps(files=5_000)  # of a submitted zip
UNPACK = "unpack it into a folder that has the student's id as its name, and collect the folder around that"


class NotPlaced(Exception):
    """No notebook can be chosen. The message continues a sentence that begins with the submission."""


def choose_notebook(
    contents: list[Content], assignment: Assignment, path: str = ""
) -> tuple[Content, str]:
    """Choose the assignment's notebook among the files of a submission. Return it with a remark, or
    "".

    `path`: path in the download of the notebook that staff chose, or "". If it exists, it is
    chosen. Notebooks of other assignments are never chosen. Among the rest, choose the only
    notebook, the notebook with the assignment's name, or the only undamaged notebook.

    Raises `NotPlaced` if there is no such notebook, if several are equally likely, or if reading
    takes too much time or memory. A damaged notebook may be chosen. Grading reports that it cannot
    be read.
    """
    _ = assignment.cells  # cached here, so that the forked processes do not read it again
    try:
        return limits.run_bounded(lambda: _choose(contents, assignment, path))
    except limits.OutOfBounds as error:
        raise NotPlaced(
            f"what was submitted {error} to be looked through; ask for the notebook alone"
        ) from error


def _choose(contents: list[Content], assignment: Assignment, path: str) -> tuple[Content, str]:
    chosen = (
        [notebook for notebook in _notebooks_in(contents) if notebook.path == path] if path else []
    )
    if chosen:
        return _pick(chosen, assignment)
    notebooks = _direct(contents)
    with suppress(NotPlaced):
        return _pick(notebooks, assignment)
    troubles: list[str] = []
    notebooks += _in_zips(contents, troubles)
    try:
        return _pick(notebooks, assignment)
    except NotPlaced as error:
        # an unopened archive may contain the notebook
        is_packed = any(trouble.endswith(UNPACK) for trouble in troubles)
        reasons = [] if is_packed and not notebooks else [str(error)]
        raise NotPlaced("; ".join([*troubles, *reasons])) from error


def paths_of_notebooks(contents: list[Content]) -> list[str]:
    """Return the paths in the download of all notebooks of a submission, including those inside its
    zips. Return [] if reading them takes too much time or memory.
    """
    try:
        return limits.run_bounded(lambda: [notebook.path for notebook in _notebooks_in(contents)])
    except limits.OutOfBounds:
        return []


def _notebooks_in(contents: list[Content]) -> list[Content]:
    return [*_direct(contents), *_in_zips(contents, [])]


def _direct(contents: list[Content]) -> list[Content]:
    return [content for content in contents if content.kind == NOTEBOOK_FILE]


def _in_zips(contents: list[Content], troubles: list[str]) -> Iterator[Content]:
    """Yield the notebooks in a submission's zips. `troubles` gets half a sentence on each unread
    file.
    """
    bytes_read = Counter[str]()
    for content in contents:
        name = printable(content.name)
        if content.kind not in ("", NOTEBOOK_FILE, notebooks.ZIP):
            troubles.append(f"`{name}` is {content.kind}, which is not opened: {UNPACK}")
        if content.kind != notebooks.ZIP:
            continue
        try:
            inner = open_inner(content.data, content.name, INNER_CAPS)
        except AutograderError as error:
            troubles.append(str(error).rstrip("."))
            continue
        zipped = [file for file in inner.files if NOTEBOOK.search(file.name)]
        packed, unread = read_within(bytes_read, zipped)
        troubles += (
            f"in `{name}`, {refused_file.sentence.rstrip('.')}" for refused_file in inner.refused
        )
        troubles += (f"in `{name}`, {trouble}" for trouble in unread)
        troubles += (
            f"in `{name}`, `{printable(file.path)}` is an archive in an archive, which is not opened: {UNPACK}"
            for file in inner.files
            if may_hold_notebook(file.name) and file not in zipped
        )
        yield from (Content(content.file, notebook.data, notebook.file.path) for notebook in packed)


def _pick(notebooks: list[Content], assignment: Assignment) -> tuple[Content, str]:
    if not notebooks:
        raise NotPlaced("there is no notebook: ask for the .ipynb file")
    by_hash: dict[str, Content] = {}
    for notebook in notebooks:  # of equal notebooks, the newest upload
        equal = by_hash.setdefault(notebook.hash, notebook)
        if (notebook.file.upload or 0) > (equal.file.upload or 0):
            by_hash[notebook.hash] = notebook
    distinct = [*by_hash.values()]
    states = {notebook.hash: _state(notebook, assignment) for notebook in distinct}
    candidates = [notebook for notebook in distinct if states[notebook.hash][0] != "other"]
    if not candidates:
        faults = [
            f"`{printable(notebook.name)}` {states[notebook.hash][1]}" for notebook in distinct[:5]
        ]
        raise NotPlaced(f"{' and '.join(faults)}: no answer of `{assignment.id}` is there")
    candidates = _newest_uploads(candidates)
    exact_matches = [
        notebook
        for notebook in candidates
        if notebook.name.casefold() == f"{assignment.id}.ipynb".casefold()
    ]
    near_matches = [
        notebook for notebook in candidates if courses.in_name(notebook.name, [assignment.id])
    ]
    undamaged = [notebook for notebook in candidates if states[notebook.hash][0] == "ours"]
    for group in (candidates, exact_matches, _last_upload(near_matches), near_matches, undamaged):
        if len(group) == 1:
            remarks = _remark(group[0], distinct), states[group[0].hash][1]
            return group[0], "; ".join(filter(None, remarks))
    has_namesakes = len({notebook.name for notebook in candidates}) < len(candidates)
    paths = [notebook.path if has_namesakes else notebook.name for notebook in candidates[:5]]
    names = ", ".join(f"`{printable(path)}`" for path in paths)
    raise NotPlaced(f"{len(candidates)} notebooks could be meant ({names})")


def _state(notebook: Content, assignment: Assignment) -> tuple[str, str]:
    """Return "ours", "other" (of another assignment) or "damaged", and the reason."""
    try:
        cells = notebooks.parse_notebook(notebook.data, printable(notebook.name))
    except Unreadable as error:
        return "damaged", str(error).rstrip(".")
    if notebooks.is_of(assignment, cells):
        return "ours", ""
    names = [name for cell in cells for name in cell.names]
    for owner in courses.of_cells(names, courses.every(assignment.course)):
        return "other", f"is the notebook of `{owner.id}` (`{owner.id}/STUDENT` resolves it)"
    return "other", "is for another assignment"


def _newest_uploads(notebooks: list[Content]) -> list[Content]:
    """Return the notebooks without earlier uploads of the same name."""
    newest: dict[str, Content] = {}
    for notebook in sorted(notebooks, key=lambda notebook: notebook.file.upload or 0):
        newest[notebook.path if notebook.file.upload is None else notebook.name] = notebook
    return [notebook for notebook in notebooks if notebook in newest.values()]


def _last_upload(notebooks: list[Content]) -> list[Content]:
    """Return the last uploaded notebook, as a list; [] if an upload number is missing."""
    has_numbers = bool(notebooks) and all(
        notebook.file.upload is not None for notebook in notebooks
    )
    return [max(notebooks, key=lambda notebook: notebook.file.upload or 0)] if has_numbers else []


def _remark(chosen: Content, distinct: list[Content]) -> str:
    if len(distinct) == 1:
        return ""
    namesakes = [notebook for notebook in distinct if notebook.name == chosen.name]
    names = {
        notebook.hash: printable(
            notebook.path.rpartition("/")[2] if namesakes[1:] else notebook.name
        )
        for notebook in distinct
    }
    left_out = ", ".join(
        f"`{names[notebook.hash]}`" for notebook in distinct if notebook is not chosen
    )
    return f"`{names[chosen.hash]}` was taken, and not {left_out:.200}"
