"""Which of the files that somebody handed in is the notebook of the assignment."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.collect.archive import open_inner
from autograder.engine.assignment import Assignment
from autograder.engine.notebook import Unreadable, parse_notebook
from autograder.engine.submission import repair
from autograder.engine.which import in_name
from autograder.platforms.download import Caps, File, FileRefused, NoDownload
from autograder.text import printable

INNER_CAPS = Caps(files=5_000, total_bytes=128 << 20)  # of a zip that somebody handed in
MAX_BYTES = 256 << 20  # of all files, and what is in them, from which one student's is chosen


class NotChosen(Exception):
    """None of the files can be taken for the assignment's notebook; the message says why."""


@dataclass(frozen=True)
class Notebook:
    """A notebook and the file in the download that it is from: itself, or a zip around it."""

    file: File
    name: str
    data: bytes
    path_in_zip: str = ""  # where it is in the zip that was handed in
    zip_data: bytes = b""  # that zip

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def choose_notebook(files: tuple[File, ...], assignment: Assignment) -> tuple[Notebook, str]:
    """Return the assignment's notebook, and a remark if it was one of several.

    It is the one that is called like the assignment, else the only one whose cells are the
    assignment's. A damaged one is returned, too: grading will say that it cannot be read. Raises
    `NotChosen`.
    """
    troubles: list[str] = []
    direct = list(_direct(files, troubles))
    try:
        return _pick(direct, assignment)
    except NotChosen as error:
        reason = error
    in_zips = list(_in_zips(files, troubles))
    if in_zips:
        try:
            return _pick(direct + in_zips, assignment)
        except NotChosen as error:
            reason = error
    raise NotChosen("; ".join([*troubles, str(reason)])) from reason


def _direct(files: tuple[File, ...], troubles: list[str]) -> Iterator[Notebook]:
    left = MAX_BYTES
    for file in files:
        if file.original_name.lower().endswith(".ipynb"):
            try:
                data = file.read()
            except FileRefused as error:
                troubles.append(f"`{printable(file.original_name)}` {error}")
                continue
            left -= len(data)
            if left < 0:
                troubles.append(f"there are more than {MAX_BYTES >> 20} MiB of notebooks")
                return
            yield Notebook(file, file.original_name, data)


def _in_zips(files: tuple[File, ...], troubles: list[str]) -> Iterator[Notebook]:
    """The notebooks in the zips among the files; zips in those are not opened."""
    left = MAX_BYTES
    for file in files:
        if not file.original_name.lower().endswith(".zip"):
            continue
        try:
            data = file.read()
            left -= len(data)
            if left < 0:
                troubles.append(f"there are more than {MAX_BYTES >> 20} MiB of zips")
                return
            inner = open_inner(data, file.original_name, INNER_CAPS)
        except FileRefused as error:
            troubles.append(f"`{printable(file.original_name)}` {error}")
            continue
        except NoDownload as error:
            troubles.append(str(error).rstrip("."))
            continue
        troubles += [
            f"in `{printable(file.original_name)}`, {sentence.rstrip('.')}"
            for sentence in inner.refused
        ]
        for packed in inner.files:
            if packed.name.lower().endswith(".ipynb"):
                try:
                    content = packed.read()
                except FileRefused as error:
                    names = f"{printable(file.original_name)}/{printable(packed.path)}"
                    troubles.append(f"`{names}` {error}")
                    continue
                left -= len(content)
                if left < 0:
                    troubles.append(
                        f"there are more than {MAX_BYTES >> 20} MiB of notebooks in zips"
                    )
                    return
                yield Notebook(file, packed.name, content, packed.path, data)


def _pick(found: list[Notebook], assignment: Assignment) -> tuple[Notebook, str]:
    if not found:
        raise NotChosen("there is no notebook")
    different = list({notebook.hash: notebook for notebook in reversed(found)}.values())[::-1]
    states = [(notebook, _state(notebook, assignment)) for notebook in different]
    fitting = [notebook for notebook, state in states if state != "other"]
    if not fitting:
        names = ", ".join(f"`{printable(notebook.name)}`" for notebook in different[:5])
        verb = "is" if len(different) == 1 else "are"
        raise NotChosen(
            f"{names} {verb} for another assignment: no cell of `{assignment.id}` is there"
        )
    sound = [notebook for notebook, state in states if state == "ours"]
    wanted = f"{assignment.id}.ipynb".casefold()
    exactly = [one for one in fitting if one.name.casefold() == wanted]
    nearly = [one for one in fitting if in_name(one.name, [assignment.id])]
    for group in (fitting, exactly, _last_upload(nearly), nearly, sound):
        if len(group) == 1:
            return group[0], _remark(group[0], different)
    names = ", ".join(f"`{printable(notebook.name)}`" for notebook in fitting[:5])
    raise NotChosen(f"{len(fitting)} notebooks could be meant ({names})")


def _state(notebook: Notebook, assignment: Assignment) -> str:
    """Whether it is "ours", for an "other" assignment, or "damaged"."""
    try:
        cells = parse_notebook(notebook.data, notebook.name)
    except Unreadable:
        return "damaged"
    try:
        repair(assignment, cells)
    except Unreadable:
        return "other"
    return "ours"


def _last_upload(notebooks: list[Notebook]) -> list[Notebook]:
    """The one that the platform received last, if it counts."""
    counted = [one for one in notebooks if one.file.upload is not None]
    if not counted or len(counted) < len(notebooks):
        return []
    return [max(counted, key=lambda one: one.file.upload or 0)]


def _remark(chosen: Notebook, different: list[Notebook]) -> str:
    if len(different) == 1:
        return ""
    others = ", ".join(f"`{printable(one.name)}`" for one in different if one is not chosen)
    return f"`{printable(chosen.name)}` was taken, and not {others:.200}"
