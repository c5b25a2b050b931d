"""Read a student's git clone as data, without running git: which commit counts, which files it
holds, when a notebook was last changed. For example:

    clone = Clone(top / "sheet-3-ada", top)
    files, tagged = clone.submission(by=deadline)  # tagged is None: no tag, the branch's commit
    files[0].name, files[0].changed                # "sheet-3.ipynb", 2026-11-20 15:04:00+00:00
    data = clone.read(files[0], most=1 << 20)      # the notebook's bytes

A stranger's `.git` folder may hold hooks, settings, filters and links that make git run programs.
Here, references, packs and loose objects are read without following links, and dulwich parses their
bytes in memory. It is given no repository: settings, hooks, attributes, replaced and grafted
objects, references to other places and the work tree are not read. An object must have the hash
that names it.

dulwich limits neither time nor memory. Therefore it works in a forked process that has both limits.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TypeVar
from weakref import finalize

from dulwich.errors import NotTreeError
from dulwich.object_format import SHA1
from dulwich.object_store import BaseObjectStore, iter_tree_contents, tree_lookup_path
from dulwich.objects import (
    Blob,
    Commit,
    ObjectID,
    RawObjectID,
    ShaFile,
    SubmoduleEncountered,
    Tag,
    hex_to_sha,
)
from dulwich.pack import Pack, PackData, load_pack_index_file

from autograder.engine.limits.bounded import NoAnswer, OutOfBounds, run_bounded
from autograder.files.reading import NotRegular, entries, kind_of, read_regular, walk
from autograder.platforms.download import is_junk, may_hold_notebook, utc_time
from autograder.text.patterns import Pattern
from autograder.text.times import parse_time, time_text

DAMAGED = "is damaged, or larger than what is read; clone it again"
SECONDS = 20.0  # of the processor, to find what counts in one clone
MOST_BYTES = 512 << 20  # of a clone's packs, or of an object that has its own file
MOST_FILES = 20_000  # of a commit, with folders
MOST_TEXT = 4 << 20  # bytes of their paths; of a file with references
MOST_TIMES = 50  # notebooks whose last change is looked for in the history
DEEPEST = 4  # folders in the folder of objects
HASH = Pattern(r"[0-9a-f]{40}")
BRANCH = Pattern(r"ref: (refs/heads/[A-Za-z0-9][\w./+@#=-]*)")
SUBMIT = "refs/tags/submit/"  # and a time: Classroom 50's tag of a submission
TAG = Pattern(SUBMIT + r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(-[0-9a-f]+)?")
REGULAR = (0o100644, 0o100755, 0o100664)
FOLDER = 0o40000

Result = TypeVar("Result")


class CloneRefused(Exception):
    """A clone, or a file in it, is not read. The message says why; it continues a sentence that
    begins with the name.
    """


@dataclass(frozen=True)
class TreeFile:
    """A file, link or submodule in a commit.

    `changed` is the time of the last commit that changed it, from the machine that made the commit.
    It is known only for notebooks, and only without a tag.
    """

    path: bytes
    mode: int
    hash: ObjectID
    changed: datetime | None = None

    @property
    def name(self) -> str:
        """The path as text."""
        return self.path.decode("utf-8", "surrogateescape")

    @property
    def is_regular(self) -> bool:
        return self.mode in REGULAR


@dataclass(eq=False)
class Clone:
    """A student's clone of a repository. `folder` is the clone; it lies below `top`, the folder
    that staff named.
    """

    folder: Path
    top: Path

    def submission(self, by: datetime | None = None) -> tuple[list[TreeFile], datetime | None]:
        """Return the files of the commit to grade, and the time of its tag; the time is None if no
        tag was used.

        The commit is the one with Classroom 50's newest `submit/` tag; without such tags, the
        newest of the branch that was cloned. With `by`, tags and commits with a later time are
        ignored. Raises `CloneRefused` if no commit is left, if the commit has too many files, or if
        the clone is damaged or takes too much time or memory.
        """
        return _bounded(lambda: _objects(self).submission(by))

    def read(self, file: TreeFile, most: int) -> bytes:
        """Return a file's content. Raises `CloneRefused` if it has more than `most` bytes, or if
        the clone is damaged or takes too much time or memory.
        """
        return _bounded(lambda: _objects(self).content(file.hash, most))


class _Objects(BaseObjectStore):
    """The objects of a clone, whose packs are in memory, and its references."""

    def __init__(self, clone: Clone):
        super().__init__(object_format=SHA1)
        self.git, self.top = clone.folder / ".git", clone.top
        self._packs: list[Pack] = []
        finalize(self, _close, self._packs)  # dulwich warns of packs that stay open
        self._refuse_other_objects()
        self._read_packs()
        self._object = lru_cache(maxsize=512)(self.__getitem__)

    def submission(self, by: datetime | None) -> tuple[list[TreeFile], datetime | None]:
        commit, tagged = self._commit_to_grade(by)
        tree = iter_tree_contents(self, commit.tree, include_trees=True)
        inside = list(islice(tree, 1, MOST_FILES + 2))  # the first is the tree itself
        if len(inside) > MOST_FILES or sum(len(entry.path) for entry in inside) > MOST_TEXT:
            raise CloneRefused(f"holds more than {MOST_FILES:,} files")
        files = [TreeFile(*entry) for entry in inside if entry.mode != FOLDER]
        if tagged is None:
            paths = [file.path for file in files if _is_notebook(file)][:MOST_TIMES]
            times = {path: self._changed(commit, path) for path in paths}
            files = [replace(file, changed=times.get(file.path)) for file in files]
        return files, tagged

    def content(self, hash: ObjectID, most: int) -> bytes:
        blob = self[hash]
        if not isinstance(blob, Blob):
            raise CloneRefused(DAMAGED)
        if blob.raw_length() > most:
            raise CloneRefused(f"holds more than the {most} bytes that are read")
        return blob.data

    def get_raw(self, name: RawObjectID | ObjectID) -> tuple[int, bytes]:
        """Return the type number and the content of a git object. dulwich calls this, and compares
        the content with the name.

        Raises `FileNotFoundError` if the clone lacks the object.
        """
        raw, hash = hex_to_sha(ObjectID(name)), name.decode()
        for pack in self._packs:
            if raw in pack:
                with _reading():
                    return pack.get_raw(raw)
        data = read_regular(self.git / "objects" / hash[:2] / hash[2:], MOST_BYTES, self.top)
        loose = ShaFile.from_file(io.BytesIO(data), max_size=MOST_BYTES)
        return loose.type_num, loose.as_raw_string()

    def _commit_to_grade(self, by: datetime | None) -> tuple[Commit, datetime | None]:
        lines = self._text("packed-refs").splitlines()
        packed = dict(line.split(" ", 1)[::-1] for line in lines if " " in line)
        names = [name for name in packed if name.startswith(SUBMIT)]
        with suppress(FileNotFoundError):
            names += [SUBMIT + entry.name for entry in entries(self.git / SUBMIT, self.top)]
        matches = filter(None, map(TAG.fullmatch, names))
        tags = {time: tag[0] for tag in matches if (time := parse_time(tag[1]))}
        tagged = max((time for time in tags if by is None or time <= by), default=None)
        head = self._text("HEAD").strip()
        branch = BRANCH.fullmatch(head)
        reference = tags[tagged] if tagged else branch[1] if branch and ".." not in head else ""
        hash = self._text(reference).strip() or packed.get(reference, "") if reference else head
        if not hash:
            raise CloneRefused("has no commit: nothing was pushed")
        if not HASH.fullmatch(hash):
            raise CloneRefused("keeps its branches in a way that is not read; clone it again")
        commit = self._commit(ObjectID(hash.encode()))
        while by and not tagged and commit.commit_time > by.timestamp():
            parents = self._parents(commit)
            if not parents:
                limit = time_text(by, by.tzinfo or UTC)
                raise CloneRefused(f"has no commit that says it was made by {limit}")
            commit = parents[0]
        return commit, tagged

    def _changed(self, commit: Commit, path: bytes) -> datetime | None:
        entry = self._entry(commit, path)
        while same := [one for one in self._parents(commit) if self._entry(one, path) == entry]:
            commit = same[0]
        return utc_time(commit.commit_time)

    def _entry(self, commit: Commit, path: bytes) -> tuple[int, ObjectID] | None:
        """Return mode and hash of the file at `path` in a commit; None if the commit lacks it."""
        with suppress(KeyError, NotTreeError, SubmoduleEncountered):
            return tree_lookup_path(self._object, commit.tree, path)
        return None

    def _parents(self, commit: Commit) -> list[Commit]:
        """Return the parents of a commit that the clone has. A shallow clone lacks some."""
        parents = []
        for hash in commit.parents:
            with suppress(FileNotFoundError):
                parents.append(self._commit(hash))
        return parents

    def _commit(self, hash: ObjectID) -> Commit:
        found = self._object(hash)
        if isinstance(found, Tag):  # with a message, it is an object of its own
            found = self._object(found.object[1])
        if not isinstance(found, Commit):
            raise CloneRefused(DAMAGED)
        return found

    def _text(self, name: str) -> str:
        with suppress(FileNotFoundError, NotADirectoryError):
            return read_regular(self.git / name, MOST_TEXT, self.top).decode("utf-8", "replace")
        return ""

    def _refuse_other_objects(self) -> None:
        """Raise `CloneRefused` if objects are stored outside the clone, by links or by git's
        `alternates`: they could belong to another user.
        """
        if kind_of(self.git / "objects", self.top) != "folder":
            raise CloneRefused("is not a clone: it has no folder of objects")
        for parts, entry in walk(self.git / "objects", self.top, DEEPEST):
            if entry.kind != "file" or parts == ("info", "alternates"):
                raise CloneRefused("has links to objects elsewhere; clone it again")

    def _read_packs(self) -> None:
        folder, room = self.git / "objects" / "pack", MOST_BYTES
        inside = entries(folder, self.top) if kind_of(folder, self.top) else []
        for name in (entry.name for entry in inside if entry.name.endswith(".idx")):
            index = read_regular(folder / name, room, self.top)
            data = read_regular((folder / name).with_suffix(".pack"), room - len(index), self.top)
            room -= len(index) + len(data)
            packed = partial(PackData, "pack", SHA1, file=io.BytesIO(data))
            with io.BytesIO(index) as stream:  # it is read once, here
                listed = partial(load_pack_index_file, name, stream, SHA1)
                pack = Pack.from_lazy_objects(packed, listed)
            self._packs.append(pack)
            pack.check_length_and_checksum()


@lru_cache(maxsize=1)
def _objects(clone: Clone) -> _Objects:
    """Return the objects of a clone; those of the last clone are cached, within each process."""
    return _Objects(clone)


def _close(packs: list[Pack]) -> None:
    for pack in packs:
        pack.close()


def _bounded(work: Callable[[], Result]) -> Result:
    """Call `work` in a process with limits on time and memory, and return its result.

    Raises `CloneRefused` if it exceeds a limit or raises an exception.
    """

    def read() -> Result:
        with _reading():
            return work()

    try:
        return run_bounded(read, SECONDS)
    except (OutOfBounds, NoAnswer) as error:
        raise CloneRefused(f"cannot be read ({error})") from error


@contextmanager
def _reading() -> Iterator[None]:
    """Within the block, turn every exception into a `CloneRefused`: the clone is damaged."""
    try:
        yield
    except (CloneRefused, MemoryError):
        raise
    except (NotRegular, PermissionError) as error:
        raise CloneRefused(f"cannot be read ({error.strerror or error})") from error
    except Exception as error:  # dulwich has a dozen kinds, and Python's own
        raise CloneRefused(DAMAGED) from error


def _is_notebook(file: TreeFile) -> bool:
    return may_hold_notebook(file.name) and not is_junk(tuple(file.name.split("/")))
