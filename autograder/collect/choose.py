"""Which of the files that somebody handed in is the notebook of the assignment."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine.assignment import Assignment
from autograder.collect.archive import open_inner
from autograder.platforms.download import File
from autograder.platforms.download import Caps, NoDownload, Unacceptable, shown
from autograder.engine.notebook import Unreadable, parse_notebook
from autograder.engine.submission import repair

INNER = Caps(members=5_000, total=128 << 20)  # of a zip that somebody handed in
MOST = 256 << 20  # bytes of notebooks that one person's are chosen from
# what browsers, platforms and people add to a name, one thing at a time
ADDED = re.compile(r"[ _-]*(\(\d{1,3}\)|[ _-]\d{1,3}|copy\d?|kopie|final|late)$")
BEFORE = re.compile(r"^(.*[^ ] - |copy of |kopie von )")


class NotChosen(Exception):
    """No notebook can be placed; the message says why, to follow whose it is."""


@dataclass(frozen=True)
class Notebook:
    """A notebook with the file that brought it: itself, or a zip around it."""

    file: File
    name: str
    data: bytes
    inside: str = ""  # its path in the zip that was handed in
    around: bytes = b""  # that zip

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def choose(files: tuple[File, ...], assignment: Assignment) -> tuple[Notebook, str]:
    """Return the assignment's notebook, and a remark if it was one of several. Raises `NotChosen`.

    The one called like the assignment is it, else the only one whose cells are the assignment's;
    one that is damaged is placed, too: that it cannot be read is for the class run to say.
    """
    troubles: list[str] = []
    direct = list(_direct(files, troubles))
    packed: list[Notebook] = []
    try:
        return _pick(direct, assignment)
    except NotChosen as reason:
        packed = list(_packed(files, troubles))
        if not packed:
            raise NotChosen(_with(troubles, str(reason))) from reason
    try:
        return _pick(direct + packed, assignment)
    except NotChosen as reason:
        raise NotChosen(_with(troubles, str(reason))) from reason


def _with(troubles: list[str], reason: str) -> str:
    return "; ".join([*troubles, reason] if troubles else [reason])


def _direct(files: tuple[File, ...], troubles: list[str]) -> Iterator[Notebook]:
    left = MOST
    for file in files:
        if file.name.lower().endswith(".ipynb"):
            try:
                data = file.member.read()
            except Unacceptable as error:
                troubles.append(f"`{shown(file.name)}` {error}")
                continue
            left -= len(data)
            if left < 0:
                troubles.append(f"there are more than {MOST >> 20} MiB of notebooks")
                return
            yield Notebook(file, file.name, data)


def _packed(files: tuple[File, ...], troubles: list[str]) -> Iterator[Notebook]:
    """The notebooks in the zips among the files; zips in those are left closed."""
    for file in files:
        if not file.name.lower().endswith(".zip"):
            continue
        try:
            data = file.member.read()
            inner = open_inner(data, file.name, INNER)
        except Unacceptable as error:
            troubles.append(f"`{shown(file.name)}` {error}")
            continue
        except NoDownload as error:
            troubles.append(str(error).rstrip("."))
            continue
        troubles += [f"in `{shown(file.name)}`, {told.rstrip('.')}" for told in inner.refused]
        for member in inner.members:
            if member.has(".ipynb"):
                try:
                    yield Notebook(file, member.name, member.read(), member.path, data)
                except Unacceptable as error:
                    troubles.append(f"`{shown(file.name)}/{shown(member.path)}` {error}")


def _pick(found: list[Notebook], assignment: Assignment) -> tuple[Notebook, str]:
    if not found:
        raise NotChosen("there is no notebook")
    different = list({notebook.hash: notebook for notebook in reversed(found)}.values())[::-1]
    states = [(notebook, _state(notebook, assignment)) for notebook in different]
    fitting = [notebook for notebook, state in states if state != "other"]
    if not fitting:
        names = ", ".join(f"`{shown(notebook.name)}`" for notebook in different[:5])
        verb = "is" if len(different) == 1 else "are"
        raise NotChosen(
            f"{names} {verb} for another assignment: no cell of `{assignment.id}` is there"
        )
    sound = [notebook for notebook, state in states if state == "ours"]
    wanted = assignment.id.casefold()
    exactly = [one for one in fitting if one.name.casefold() == f"{wanted}.ipynb"]
    nearly = [one for one in fitting if _called(one.name, wanted)]
    for group in (fitting, exactly, _last_upload(nearly), nearly, sound):
        if len(group) == 1:
            return group[0], _remark(group[0], different)
    names = ", ".join(f"`{shown(notebook.name)}`" for notebook in fitting[:5])
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


def _called(name: str, wanted: str) -> bool:
    """Whether a name is the one that is wanted, but for what is added to names on their way."""
    stem, before = name.casefold().removesuffix(".ipynb"), ""
    while stem != before:
        if wanted in (stem, BEFORE.sub("", stem).strip()):
            return True
        stem, before = ADDED.sub("", stem), stem
    return False


def _last_upload(notebooks: list[Notebook]) -> list[Notebook]:
    """The one that the platform received last, if it counts."""
    counted = [one for one in notebooks if one.file.upload is not None]
    if not counted or len(counted) < len(notebooks):
        return []
    return [max(counted, key=lambda one: one.file.upload or 0)]


def _remark(chosen: Notebook, different: list[Notebook]) -> str:
    if len(different) == 1:
        return ""
    others = ", ".join(f"`{shown(one.name)}`" for one in different if one is not chosen)
    return f"`{shown(chosen.name)}` was taken, and not {others:.200}"
