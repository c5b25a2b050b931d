"""Read a student's git clone as data, without running git: the commit to grade, its files, and the
last changes of its notebooks. For example:

    clone = Clone(top / "sheet-3-ada", top)
    files, tagged = clone.submission(by=deadline)  # tagged is None: no tag, the branch's commit
    files[0].name, files[0].changed                # "sheet-3.ipynb", 2026-11-20 15:04:00+00:00
    data = clone.read(files[0], 1 << 20)           # the notebook's bytes

A stranger's `.git` folder may hold hooks, settings, filters and links that make git run programs.
Here, references are read without following links, and dulwich reads the folder of objects once it is
known to hold regular files only. It is given no repository: settings, hooks, attributes, replaced
and grafted objects, references to other places and the work tree are not read. An object must have
the hash that names it.

dulwich limits neither time nor memory. Therefore it works in a forked process that has both limits.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TypeVar
from weakref import finalize

from dulwich.errors import NotTreeError
from dulwich.object_store import (
    BaseObjectStore,
    DiskObjectStore,
    iter_tree_contents,
    tree_lookup_path,
)
from dulwich.objects import (
    Blob,
    Commit,
    ObjectID,
    RawObjectID,
    ShaFile,
    SubmoduleEncountered,
    Tag,
)

from autograder.engine import Pattern, files, limits, texts
from autograder.platforms.download import is_junk, may_hold_notebook, utc_time

DAMAGED = "is damaged, or larger than what is read; clone it again"
SECONDS = 20.0  # of processor time, to find the commit to grade in a clone
MOST_BYTES = 512 << 20  # of a clone's packs, or of an object that has its own file
MOST_FILES = 20_000  # of a commit, with folders
MOST_TEXT = 4 << 20  # bytes of their paths; of a file with references
MOST_TIMES = 50  # notebooks whose last change is searched in the history
DEEPEST = 4  # folders in the folder of objects
HASH = Pattern(r"[0-9a-f]{40}")
BRANCH = Pattern(r"ref: (refs/heads/[A-Za-z0-9][\w./+@#=-]*)")
SUBMIT = "refs/tags/submit/"  # followed by a time: Classroom 50's tag of a submission
TAG = Pattern(SUBMIT + r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(-[0-9a-f]+)?")
REGULAR = (0o100644, 0o100755, 0o100664)
FOLDER = 0o40000

Result = TypeVar("Result")


class CloneRefused(Exception):
    """A clone or its file is not read. The message continues a sentence that begins with the name."""


@dataclass
class TreeFile:
    """A file, link or submodule in a commit.

    `changed`: time of the last commit that changed it, from the machine that made the commit. It is
    known only for notebooks, and only without a tag.
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


class _Objects(DiskObjectStore):
    """A clone's own folder of objects, without those named by `alternates` or an index of all
    packs.
    """

    alternates: list[BaseObjectStore] = []

    def get_midx(self) -> None:
        return None

    def get_raw(self, name: RawObjectID | ObjectID) -> tuple[int, bytes]:
        """Return the type number and the content of an object. dulwich compares the content with
        the name.

        Raises `FileNotFoundError` if it is missing. A tree without a name raises `KeyError`.
        """
        try:
            return super().get_raw(name)
        except KeyError as error:
            raise FileNotFoundError(name) from error


@dataclass(eq=False)
class Clone:
    """A student's clone of a repository, in `folder`, below the folder `top` named by staff."""

    folder: Path
    top: Path

    def submission(self, by: datetime | None = None) -> tuple[list[TreeFile], datetime | None]:
        """Return the files of the commit to grade, and the time of its tag, or None.

        The commit has Classroom 50's newest `submit/` tag. Without such tags, it is the newest
        commit of the cloned branch. With `by`, later tags and commits are ignored. Raises
        `CloneRefused` if no commit is left, if the commit has too many files, or if the clone is
        damaged or takes too much time or memory.
        """
        return _bounded(lambda: self._submission(by))

    def read(self, file: TreeFile, max_bytes: int) -> bytes:
        """Return a file's content. Raises `CloneRefused` if it has more than `max_bytes`, or if the
        clone is damaged or takes too much time or memory.
        """
        return _bounded(lambda: self._content(file.hash, max_bytes))

    @cached_property
    def _objects(self) -> _Objects:
        """The clone's objects. Raises `CloneRefused` if some are elsewhere, maybe another user's."""
        folder, packed = self.folder / ".git" / "objects", 0
        if files.kind_of(folder, self.top) != "folder":
            raise CloneRefused("is not a clone: it has no folder of objects")
        for parts, entry in files.walk(folder, self.top, DEEPEST):
            if entry.kind != "file" or parts == ("info", "alternates"):
                raise CloneRefused("has links to objects elsewhere; clone it again")
            packed += entry.size if parts[0] == "pack" else 0
            if max(packed, entry.size) > MOST_BYTES:
                raise CloneRefused(DAMAGED)
        objects = _Objects(folder)
        finalize(self, objects.close)  # dulwich warns of packs that stay open
        return objects

    def _submission(self, by: datetime | None) -> tuple[list[TreeFile], datetime | None]:
        objects = self._objects  # refuses links, before references are read
        commit, tagged = self._commit_to_grade(by)
        tree = iter_tree_contents(objects, commit.tree, include_trees=True)
        inside = list(islice(tree, 1, MOST_FILES + 2))  # the first is the tree itself
        if len(inside) > MOST_FILES or sum(len(entry.path) for entry in inside) > MOST_TEXT:
            raise CloneRefused(f"holds more than {MOST_FILES:,} files")
        files = [TreeFile(*entry) for entry in inside if entry.mode != FOLDER]
        notebooks = (
            file
            for file in files
            if may_hold_notebook(file.name) and not is_junk(tuple(file.name.split("/")))
        )
        for file in islice(notebooks, 0 if tagged else MOST_TIMES):
            file.changed = self._changed(commit, file.path)
        return files, tagged

    def _content(self, hash: ObjectID, max_bytes: int) -> bytes:
        blob = self._objects[hash]
        if not isinstance(blob, Blob):
            raise CloneRefused(DAMAGED)
        if blob.raw_length() > max_bytes:
            raise CloneRefused(f"holds more than the {max_bytes} bytes that are read")
        return blob.data

    def _commit_to_grade(self, by: datetime | None) -> tuple[Commit, datetime | None]:
        lines = self._text("packed-refs").splitlines()
        packed = dict(line.split(" ", 1)[::-1] for line in lines if " " in line)
        names = [name for name in packed if name.startswith(SUBMIT)]
        with suppress(FileNotFoundError):
            loose = files.entries(self.folder / ".git" / SUBMIT, self.top)
            names += [SUBMIT + entry.name for entry in loose]
        matches = filter(None, map(TAG.fullmatch, names))
        tags = {time: tag[0] for tag in matches if (time := texts.parse_time(tag[1]))}
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
                limit = texts.time_text(by, by.tzinfo or UTC)
                raise CloneRefused(f"has no commit that says it was made by {limit}")
            commit = parents[0]
        return commit, tagged

    def _changed(self, commit: Commit, path: bytes) -> datetime | None:
        entry = self._entry(commit, path)
        while parents := [
            parent for parent in self._parents(commit) if self._entry(parent, path) == entry
        ]:
            commit = parents[0]
        return utc_time(commit.commit_time)

    def _entry(self, commit: Commit, path: bytes) -> tuple[int, ObjectID] | None:
        """Return mode and hash of the file at `path` in a commit, or None."""
        with suppress(KeyError, NotTreeError, SubmoduleEncountered):
            return tree_lookup_path(partial(_object, self._objects), commit.tree, path)
        return None

    def _parents(self, commit: Commit) -> list[Commit]:
        """Return the parents of a commit. A shallow clone lacks some of them."""
        parents = []
        for hash in commit.parents:
            with suppress(FileNotFoundError):
                parents.append(self._commit(hash))
        return parents

    def _commit(self, hash: ObjectID) -> Commit:
        target = _object(self._objects, hash)
        if isinstance(target, Tag):  # annotated tags are separate objects
            target = _object(self._objects, target.object[1])
        if not isinstance(target, Commit):
            raise CloneRefused(DAMAGED)
        return target

    def _text(self, name: str) -> str:
        with suppress(FileNotFoundError, NotADirectoryError):
            data = files.read_regular(self.folder / ".git" / name, MOST_TEXT, self.top)
            return data.decode("utf-8", "replace")
        return ""


@lru_cache(maxsize=512)
def _object(objects: _Objects, hash: ObjectID) -> ShaFile:
    return objects[hash]


def _bounded(work: Callable[[], Result]) -> Result:
    """Call `work` in a process with limits on time and memory, and return its result.

    Raises `CloneRefused` if it exceeds a limit, or raises an exception because the clone is
    damaged.
    """

    def read() -> Result:
        try:
            return work()
        except (CloneRefused, MemoryError):
            raise
        except (files.NotRegular, PermissionError) as error:
            raise CloneRefused(f"cannot be read ({error.strerror or error})") from error
        except Exception as error:  # dulwich has a dozen kinds, and Python's own
            raise CloneRefused(DAMAGED) from error

    try:
        return limits.run_bounded(read, SECONDS)
    except (limits.OutOfBounds, limits.NoAnswer) as error:
        raise CloneRefused(f"cannot be read ({error})") from error
