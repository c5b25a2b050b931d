"""Which of the files that somebody handed in is the notebook of the assignment."""

from collections.abc import Iterator

from autograder.engine.course.assignment import Assignment
from autograder.engine.course.which import every, in_name, of_cells
from autograder.engine.limits.bounded import OutOfBounds, run_bounded
from autograder.engine.notebook.reader import Unreadable, parse_notebook
from autograder.engine.notebook.submission import is_of
from autograder.platforms.collect import contents as of_one
from autograder.platforms.collect.archive import open_inner
from autograder.platforms.collect.contents import Content
from autograder.platforms.download import (
    NOTEBOOK,
    Caps,
    Download,
    FileRefused,
    NoDownload,
    may_hold_notebook,
)
from autograder.text.printable import printable

INNER_CAPS = Caps(files=5_000)  # of a zip that somebody handed in
UNPACK = "unpack it into a folder that has the student's id as its name, and collect the folder around that"


class NotChosen(Exception):
    """None of the files can be taken for the assignment's notebook; the message says why."""


def choose_notebook(
    contents: list[Content], assignment: Assignment, path: str = ""
) -> tuple[Content, str]:
    """Return the assignment's notebook, and a remark if it was one of several or cannot be read.

    Where a notebook is at this path in the download, it is that one, if it is for the assignment.

    It is the one that is called like the assignment, else the only one whose cells are the
    assignment's. A damaged one is returned, too: grading will say that it cannot be read. Raises
    `NotChosen`.
    """
    _ = assignment.cells  # read once, and not by each process
    try:
        return run_bounded(lambda: _choose(contents, assignment, path))
    except OutOfBounds as error:
        words = f"what was handed in {error} to be looked through; ask for the notebook alone"
        raise NotChosen(words) from error


def _choose(contents: list[Content], assignment: Assignment, path: str) -> tuple[Content, str]:
    named = [one for one in _notebooks_in(contents) if one.path == path] if path else []
    if named:
        return _pick(named, assignment)
    direct = [one for one in contents if one.is_notebook]
    try:
        return _pick(direct, assignment)
    except NotChosen as error:
        reason = error
    troubles = [
        f"`{printable(one.name)}` is {one.other_archive}, which is not opened: {UNPACK}"
        for one in contents
        if one.other_archive
    ]
    in_zips = list(_in_zips(contents, troubles))
    packed = any(one.endswith(UNPACK) for one in troubles)  # and may hold the notebook
    if in_zips:
        try:
            return _pick(direct + in_zips, assignment)
        except NotChosen as error:
            reason = error
    said = troubles if packed and not direct and not in_zips else [*troubles, str(reason)]
    raise NotChosen("; ".join(said)) from reason


def paths_of_notebooks(contents: list[Content]) -> list[str]:
    """Return where all is that can be taken for a notebook; of what cannot be looked through, none."""
    try:
        return run_bounded(lambda: [one.path for one in _notebooks_in(contents)])
    except OutOfBounds:
        return []


def _notebooks_in(contents: list[Content]) -> list[Content]:
    """All that can be taken for a notebook, also those in zips."""
    return [*(one for one in contents if one.is_notebook), *_in_zips(contents, [])]


def _in_zips(contents: list[Content], troubles: list[str]) -> Iterator[Content]:
    """The notebooks in the zips among the files; archives in those are not opened."""
    left = of_one.MAX_BYTES
    for content in contents:
        if not content.is_zip:
            continue
        name = printable(content.name)
        try:
            inner = open_inner(content.data, content.name, INNER_CAPS)
        except NoDownload as error:
            troubles.append(str(error).rstrip("."))
            continue
        troubles += _not_opened(name, inner)
        for packed in inner.files:
            if not NOTEBOOK.search(packed.name):
                continue
            if left < packed.size <= Caps.file_bytes:
                most = of_one.MAX_BYTES >> 20
                troubles.append(f"there are more than {most} MiB of notebooks in zips")
                return
            try:
                data = packed.read()
            except FileRefused as error:
                troubles.append(f"`{name}/{printable(packed.path)}` {error}")
                continue
            left -= len(data)
            yield Content(content.file, data, packed.path)


def _not_opened(name: str, inner: Download) -> Iterator[str]:
    """Half a sentence for each file of a zip that is refused, or is an archive itself."""
    for left in inner.refused:
        yield f"in `{name}`, {left.sentence.rstrip('.')}"
    for packed in inner.files:
        if may_hold_notebook(packed.name) and not NOTEBOOK.search(packed.name):
            inside = printable(packed.path)
            yield f"in `{name}`, `{inside}` is an archive in an archive, which is not opened: {UNPACK}"


def _pick(found: list[Content], assignment: Assignment) -> tuple[Content, str]:
    if not found:
        raise NotChosen("there is no notebook: ask for the .ipynb file")
    different = list({notebook.hash: notebook for notebook in reversed(found)}.values())[::-1]
    faults = [(notebook, *_state(notebook, assignment)) for notebook in different]
    fitting = [notebook for notebook, state, _ in faults if state != "other"]
    if not fitting:
        said = [f"`{printable(notebook.name)}` {fault}" for notebook, _, fault in faults[:5]]
        raise NotChosen(f"{' and '.join(said)}: no answer of `{assignment.id}` is there")
    sound = [notebook for notebook, state, _ in faults if state == "ours"]
    wanted = f"{assignment.id}.ipynb".casefold()
    exactly = [one for one in fitting if one.name.casefold() == wanted]
    nearly = [one for one in fitting if in_name(one.name, [assignment.id])]
    for group in (fitting, exactly, _last_upload(nearly), nearly, sound):
        if len(group) == 1:
            fault = next(said for notebook, _, said in faults if notebook is group[0])
            return group[0], "; ".join(filter(None, (_remark(group[0], different), fault)))
    alike = len({notebook.name for notebook in fitting}) < len(fitting)
    paths = [notebook.path if alike else notebook.name for notebook in fitting[:5]]
    names = ", ".join(f"`{printable(path)}`" for path in paths)
    raise NotChosen(f"{len(fitting)} notebooks could be meant ({names})")


def _state(notebook: Content, assignment: Assignment) -> tuple[str, str]:
    """Whether it is "ours", for an "other" assignment, or "damaged"; and what is said of that."""
    try:
        cells = parse_notebook(notebook.data, printable(notebook.name))
    except Unreadable as error:
        return "damaged", str(error).rstrip(".")
    if is_of(assignment, cells):
        return "ours", ""
    names = [name for cell in cells for name in (cell.grade_id, cell.id) if name]
    found = [one.id for one in of_cells(names, every(assignment.course))]
    if not found:
        return "other", "is for another assignment"
    return "other", f"is the notebook of `{found[0]}` (`{found[0]}/STUDENT` resolves it)"


def _last_upload(notebooks: list[Content]) -> list[Content]:
    """The one that the platform received last, if it counts."""
    counted = [one for one in notebooks if one.file.upload is not None]
    if not counted or len(counted) < len(notebooks):
        return []
    return [max(counted, key=lambda one: one.file.upload or 0)]


def _remark(chosen: Content, different: list[Content]) -> str:
    if len(different) == 1:
        return ""
    others = ", ".join(f"`{printable(one.name)}`" for one in different if one is not chosen)
    return f"`{printable(chosen.name)}` was taken, and not {others:.200}"
