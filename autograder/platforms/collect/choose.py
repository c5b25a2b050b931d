"""Choose the assignment's notebook among the files of one submission, for example for `sheet-3`:

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

INNER_CAPS = Caps(files=5_000)  # of a zip that somebody submitted
UNPACK = "unpack it into a folder that has the student's id as its name, and collect the folder around that"


class NotPlaced(Exception):
    """No notebook of the assignment can be chosen among the files of a submission. The message says
    why; it continues a sentence that begins with the submission.
    """


def choose_notebook(
    contents: list[Content], assignment: Assignment, path: str = ""
) -> tuple[Content, str]:
    """Choose the assignment's notebook among the files of one submission; return it, and a remark
    if others were left out or if it is damaged ("" if neither).

    `path`: the path in the download of the notebook that staff chose, or ""; if it is found, no
    other is considered. Among notebooks that are not of another assignment, the only one is chosen,
    else the one with the assignment's name, else the only one that is not damaged.

    Raises `NotPlaced` if there is no notebook of the assignment, if several could be meant, or if
    reading takes too much time or memory. A damaged notebook may be chosen: grading will report
    that it cannot be read.
    """
    _ = assignment.cells  # read once, and not by each process
    try:
        return limits.run_bounded(lambda: _choose(contents, assignment, path))
    except limits.OutOfBounds as error:
        raise NotPlaced(
            f"what was submitted {error} to be looked through; ask for the notebook alone"
        ) from error


def _choose(contents: list[Content], assignment: Assignment, path: str) -> tuple[Content, str]:
    chosen = [one for one in _notebooks_in(contents) if one.path == path] if path else []
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
        is_packed = any(
            trouble.endswith(UNPACK) for trouble in troubles
        )  # and may hold the notebook
        reasons = [] if is_packed and not notebooks else [str(error)]
        raise NotPlaced("; ".join([*troubles, *reasons])) from error


def paths_of_notebooks(contents: list[Content]) -> list[str]:
    """Return the paths in the download of all notebooks of a submission, also of those inside its
    zips. `contents` are the submission's files.

    Return [] if reading them takes too much time or memory.
    """
    try:
        return limits.run_bounded(lambda: [one.path for one in _notebooks_in(contents)])
    except limits.OutOfBounds:
        return []


def _notebooks_in(contents: list[Content]) -> list[Content]:
    return [*_direct(contents), *_in_zips(contents, [])]


def _direct(contents: list[Content]) -> list[Content]:
    return [content for content in contents if content.kind == NOTEBOOK_FILE]


def _in_zips(contents: list[Content], troubles: list[str]) -> Iterator[Content]:
    """Yield the notebooks inside the zips of a submission. For each archive and each file in it
    that is not read, half a sentence is added to the list `troubles`.

    Archives inside zips are not opened.
    """
    used = Counter[str]()
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
        packed, unread = read_within(used, zipped)
        troubles += (f"in `{name}`, {left.sentence.rstrip('.')}" for left in inner.refused)
        troubles += (f"in `{name}`, {trouble}" for trouble in unread)
        troubles += (
            f"in `{name}`, `{printable(file.path)}` is an archive in an archive, which is not opened: {UNPACK}"
            for file in inner.files
            if may_hold_notebook(file.name) and file not in zipped
        )
        yield from (Content(content.file, one.data, one.file.path) for one in packed)


def _pick(notebooks: list[Content], assignment: Assignment) -> tuple[Content, str]:
    if not notebooks:
        raise NotPlaced("there is no notebook: ask for the .ipynb file")
    by_hash: dict[str, Content] = {}
    for notebook in notebooks:  # the newest upload of those that are equal
        same = by_hash.setdefault(notebook.hash, notebook)
        if (notebook.file.upload or 0) > (same.file.upload or 0):
            by_hash[notebook.hash] = notebook
    different = [*by_hash.values()]
    states = {notebook.hash: _state(notebook, assignment) for notebook in different}
    fitting = [notebook for notebook in different if states[notebook.hash][0] != "other"]
    if not fitting:
        faults = [f"`{printable(one.name)}` {states[one.hash][1]}" for one in different[:5]]
        raise NotPlaced(f"{' and '.join(faults)}: no answer of `{assignment.id}` is there")
    fitting = _newest_uploads(fitting)
    exactly = [one for one in fitting if one.name.casefold() == f"{assignment.id}.ipynb".casefold()]
    nearly = [one for one in fitting if courses.in_name(one.name, [assignment.id])]
    sound = [one for one in fitting if states[one.hash][0] == "ours"]
    for group in (fitting, exactly, _last_upload(nearly), nearly, sound):
        if len(group) == 1:
            remarks = _remark(group[0], different), states[group[0].hash][1]
            return group[0], "; ".join(filter(None, remarks))
    alike = len({notebook.name for notebook in fitting}) < len(fitting)
    paths = [notebook.path if alike else notebook.name for notebook in fitting[:5]]
    names = ", ".join(f"`{printable(path)}`" for path in paths)
    raise NotPlaced(f"{len(fitting)} notebooks could be meant ({names})")


def _state(notebook: Content, assignment: Assignment) -> tuple[str, str]:
    """Return whether a notebook is "ours" (of this assignment), "other" (of another one) or
    "damaged"; and the reason, "" for "ours".
    """
    try:
        cells = notebooks.parse_notebook(notebook.data, printable(notebook.name))
    except Unreadable as error:
        return "damaged", str(error).rstrip(".")
    if notebooks.is_of(assignment, cells):
        return "ours", ""
    names = [name for cell in cells for name in cell.names]
    for other in courses.of_cells(names, courses.every(assignment.course)):
        return "other", f"is the notebook of `{other.id}` (`{other.id}/STUDENT` resolves it)"
    return "other", "is for another assignment"


def _newest_uploads(notebooks: list[Content]) -> list[Content]:
    """Return the notebooks without those that the student uploaded again under the same name."""
    newest: dict[str, Content] = {}
    for notebook in sorted(notebooks, key=lambda one: one.file.upload or 0):
        newest[notebook.path if notebook.file.upload is None else notebook.name] = notebook
    return [notebook for notebook in notebooks if notebook in newest.values()]


def _last_upload(notebooks: list[Content]) -> list[Content]:
    """Return a list with the notebook that was uploaded last; [] if one of them has no upload
    number.
    """
    has_numbers = bool(notebooks) and all(one.file.upload is not None for one in notebooks)
    return [max(notebooks, key=lambda one: one.file.upload or 0)] if has_numbers else []


def _remark(chosen: Content, different: list[Content]) -> str:
    if len(different) == 1:
        return ""
    alike = [one for one in different if one.name == chosen.name]
    names = {
        one.hash: printable(one.path.rpartition("/")[2] if alike[1:] else one.name)
        for one in different
    }
    others = ", ".join(f"`{names[one.hash]}`" for one in different if one is not chosen)
    return f"`{names[chosen.hash]}` was taken, and not {others:.200}"
