"""Choose the assignment's notebook among the files of one submission, for example for `sheet-3`:

sheet-3.ipynb, sheet-3 (1).ipynb         sheet-3.ipynb: exactly the assignment's name
work.zip with a/sheet-3.ipynb in it      a/sheet-3.ipynb
a.ipynb, b.ipynb, both with its cells    NotPlaced: 2 notebooks could be meant
sheet-2.ipynb with the cells of sheet-2  NotPlaced: it is the notebook of `sheet-2`
"""

from collections.abc import Iterator

from autograder.engine.course.assignment import Assignment
from autograder.engine.course.which import every, in_name, of_cells
from autograder.engine.limits.bounded import OutOfBounds, run_bounded
from autograder.engine.notebook.reader import Unreadable, parse_notebook
from autograder.engine.notebook.submission import is_of
from autograder.people.matching import NotPlaced
from autograder.platforms.collect import contents as of_one
from autograder.platforms.collect.archive import open_inner
from autograder.platforms.collect.contents import Content
from autograder.platforms.download import NOTEBOOK, Caps, Download, FileRefused, may_hold_notebook
from autograder.text.errors import CommandError
from autograder.text.printable import printable

INNER_CAPS = Caps(files=5_000)  # of a zip that somebody handed in
UNPACK = "unpack it into a folder that has the student's id as its name, and collect the folder around that"


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
        return run_bounded(lambda: _choose(contents, assignment, path))
    except OutOfBounds as error:
        words = f"what was handed in {error} to be looked through; ask for the notebook alone"
        raise NotPlaced(words) from error


def _choose(contents: list[Content], assignment: Assignment, path: str) -> tuple[Content, str]:
    named = [one for one in _notebooks_in(contents) if one.path == path] if path else []
    if named:
        return _pick(named, assignment)
    direct = [one for one in contents if one.is_notebook]
    try:
        return _pick(direct, assignment)
    except NotPlaced as error:
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
        except NotPlaced as error:
            reason = error
    said = troubles if packed and not direct and not in_zips else [*troubles, str(reason)]
    raise NotPlaced("; ".join(said)) from reason


def paths_of_notebooks(contents: list[Content]) -> list[str]:
    """Return the paths in the download of all notebooks of a submission, also of those inside its
    zips. `contents` are the submission's files.

    Return [] if reading them takes too much time or memory.
    """
    try:
        return run_bounded(lambda: [one.path for one in _notebooks_in(contents)])
    except OutOfBounds:
        return []


def _notebooks_in(contents: list[Content]) -> list[Content]:
    """Return all notebooks of a submission, also those inside its zips. `contents` are the
    submission's files.
    """
    return [*(one for one in contents if one.is_notebook), *_in_zips(contents, [])]


def _in_zips(contents: list[Content], troubles: list[str]) -> Iterator[Content]:
    """Yield the notebooks inside the zips of a submission. For each file that cannot be read, half
    a sentence is added to the list `troubles`; also if the notebooks together exceed a limit, and
    then no more are yielded.

    Archives inside zips are not opened.
    """
    left = of_one.MAX_BYTES
    for content in contents:
        if not content.is_zip:
            continue
        name = printable(content.name)
        try:
            inner = open_inner(content.data, content.name, INNER_CAPS)
        except CommandError as error:
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
    """Yield half a sentence for each file inside a zip that was refused, or that is itself an
    archive. `name` is the zip's name in messages.
    """
    for left in inner.refused:
        yield f"in `{name}`, {left.sentence.rstrip('.')}"
    for packed in inner.files:
        if may_hold_notebook(packed.name) and not NOTEBOOK.search(packed.name):
            inside = printable(packed.path)
            yield f"in `{name}`, `{inside}` is an archive in an archive, which is not opened: {UNPACK}"


def _pick(found: list[Content], assignment: Assignment) -> tuple[Content, str]:
    if not found:
        raise NotPlaced("there is no notebook: ask for the .ipynb file")
    different = list({notebook.hash: notebook for notebook in reversed(found)}.values())[::-1]
    faults = [(notebook, *_state(notebook, assignment)) for notebook in different]
    fitting = [notebook for notebook, state, _ in faults if state != "other"]
    if not fitting:
        said = [f"`{printable(notebook.name)}` {fault}" for notebook, _, fault in faults[:5]]
        raise NotPlaced(f"{' and '.join(said)}: no answer of `{assignment.id}` is there")
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
    raise NotPlaced(f"{len(fitting)} notebooks could be meant ({names})")


def _state(notebook: Content, assignment: Assignment) -> tuple[str, str]:
    """Return whether a notebook is "ours" (of this assignment), "other" (of another one) or
    "damaged"; and the reason, "" for "ours".
    """
    try:
        cells = parse_notebook(notebook.data, printable(notebook.name))
    except Unreadable as error:
        return "damaged", str(error).rstrip(".")
    if is_of(assignment, cells):
        return "ours", ""
    names = [name for cell in cells for name in cell.names]
    found = [one.id for one in of_cells(names, every(assignment.course))]
    if not found:
        return "other", "is for another assignment"
    return "other", f"is the notebook of `{found[0]}` (`{found[0]}/STUDENT` resolves it)"


def _last_upload(notebooks: list[Content]) -> list[Content]:
    """Return a list with the notebook that was uploaded last; [] if one of them has no upload
    number.
    """
    counted = [one for one in notebooks if one.file.upload is not None]
    if not counted or len(counted) < len(notebooks):
        return []
    return [max(counted, key=lambda one: one.file.upload or 0)]


def _remark(chosen: Content, different: list[Content]) -> str:
    if len(different) == 1:
        return ""
    others = ", ".join(f"`{printable(one.name)}`" for one in different if one is not chosen)
    return f"`{printable(chosen.name)}` was taken, and not {others:.200}"
