"""Read a student's git clone as data, without running git: which commit counts, which files it
holds, when a file was last changed. For example:

    clone = Clone(top / "sheet-3-ada", top)
    commit, tagged = clone.handed_in(by=deadline)    # "4f2a...", None: no tag, the branch's commit
    files = clone.files(commit)                      # [TreeFile("sheet-3.ipynb", True, 5120, "9c1e...")]
    when = clone.changed(commit, "sheet-3.ipynb")    # 2026-11-20 15:04:00+00:00
    data = clone.read(files[0], most=1 << 20)        # the notebook's bytes

A stranger's `.git` folder may hold hooks, settings, filters and links that make git run programs.
Here, references, packs and loose objects are read without following links, and dulwich parses their
bytes in memory. It is given no repository: settings, hooks, attributes, replaced and grafted
objects, references to other places and the work tree are not read.

Limits that dulwich lacks are enforced here: on inflated sizes, on the length of numbers in packs;
and an object must have the hash that names it. (https://git-scm.com/docs/gitformat-pack and
https://www.dulwich.io/docs/)
"""

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1
from pathlib import Path

from dulwich.object_format import SHA1
from dulwich.objects import Blob, Commit, ShaFile, Tag, Tree, hex_to_sha, parse_tree
from dulwich.pack import (
    DELTA_TYPES,
    Pack,
    PackData,
    UnpackedObject,
    load_pack_index_file,
    obj_sha,
)

from autograder.files.reading import NotRegular, entries, kind_of, read_regular, walk
from autograder.text.patterns import Pattern
from autograder.text.printable import printable
from autograder.text.times import parse_time, time_text

DAMAGED = "is damaged, or larger than what is read; clone it again"
MOST_PACKED = 512 << 20  # bytes of a clone's packs
MOST_OBJECT = 256 << 20  # bytes of one object, inflated
MOST_PARSED = 4 << 20  # bytes of a commit, a tag, or a list of files
MOST_READ = 1 << 30  # bytes that are inflated and put together, for all questions about one clone
EACH = 2 << 10  # bytes that each object counts more, for its time; a sixteenth, each pack
MOST_FILES = 20_000  # of a commit, with folders
MOST_LISTED = 4 << 20  # characters of their names
MOST_REFERENCES = 4 << 20  # bytes
DEEPEST = 4  # folders in the folder of objects
LONGEST_NUMBER = 9  # bytes, of a number in a pack
LONGEST_HEADER = 64  # bytes, before the content of an object that has its own file
HASH = Pattern(r"[0-9a-f]{40}")
BRANCH = Pattern(r"ref: (refs/heads/[A-Za-z0-9][\w./+@#=-]*)")
SUBMIT = "refs/tags/submit/"  # and a time, as Classroom 50 calls what was handed in
TAG = Pattern(r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(-[0-9a-f]+)?")
REGULAR = (0o100644, 0o100755, 0o100664)
FOLDER, OFFSET_DELTA = 0o40000, 6


class CloneRefused(Exception):
    """A clone, or a file in it, is not read. The message says why; it continues a sentence that
    begins with the name.
    """


@dataclass(frozen=True)
class TreeFile:
    """A file in a commit. `regular` is False for a link or a submodule."""

    path: str
    regular: bool
    size: int
    hash: str


@dataclass(eq=False)
class Clone:
    """A student's clone of a repository. `folder` is the clone; it lies below `top`, the folder
    that staff named.
    """

    folder: Path
    top: Path
    used: int = 0  # bytes, see MOST_READ

    @property
    def git(self) -> Path:
        return self.folder / ".git"

    def handed_in(self, by: datetime | None = None) -> tuple[str, datetime | None]:
        """Return the hash of the commit to grade, and the time of its tag; the time is None if no
        tag was used.

        The commit is the one with Classroom 50's newest `submit/` tag; without such tags, the
        newest of the branch that was cloned. With `by`, tags and commits with a later time are
        ignored. Raises `CloneRefused` if no commit is left, or if the clone is damaged.
        """
        self._check_objects()
        times = {
            parse_time(found[1]): name for name in self._tags() if (found := TAG.fullmatch(name))
        }
        tags = [when for when in times if when and (by is None or when <= by)]
        if tags:
            return self._commit_at(SUBMIT + times[max(tags)]), max(tags)
        head = self._text("HEAD").strip()
        branch = BRANCH.fullmatch(head)
        found = self._commit_at(branch[1]) if branch and ".." not in head else head
        if not found:
            raise CloneRefused("has no commit: nothing was pushed")
        if not HASH.fullmatch(found):
            raise CloneRefused("keeps its branches in a way that is not read; clone it again")
        return (found if by is None else self._newest(found, by)), None

    def files(self, commit: str) -> list[TreeFile]:
        """Return the files, links and submodules in a commit, sorted by path.

        Raises `CloneRefused` if there are too many, or if the clone is damaged.
        """
        found: list[TreeFile] = []
        todo = [("", self._commit(commit).tree.decode())]
        count = listed = 0
        while todo:
            folder, tree = todo.pop()
            for name, mode, hash in self._tree(tree):
                path = folder + name.decode("utf-8", "surrogateescape")
                count, listed = count + 1, listed + len(path)
                if count > MOST_FILES or listed > MOST_LISTED:
                    raise CloneRefused(f"holds more than {MOST_FILES:,} files")
                if mode == FOLDER:
                    todo.append((f"{path}/", hash.decode()))
                    continue
                there = self._find(hash.decode()) if mode in REGULAR else None
                size = there[1] if there else 0
                found.append(TreeFile(path, mode in REGULAR, size, hash.decode()))
        return sorted(found, key=lambda file: file.path)

    def changed(self, commit: str, path: str) -> datetime | None:
        """Return the time of the last commit, up to `commit`, that changed the file at `path`; None
        if there is no such file or the time is invalid.

        The time comes from the machine that made the commit. Raises `CloneRefused` if the clone is
        damaged.
        """
        name = path.encode("utf-8", "surrogateescape")
        entry, hash = self._entry(commit, name), commit
        if entry is None:
            return None
        while hash:
            newest, parents = self._commit(hash), self._parents(hash)
            hash = next((one for one in parents if self._entry(one, name) == entry), "")
        try:
            return datetime.fromtimestamp(newest.commit_time, UTC)
        except (OverflowError, ValueError, OSError, TypeError):
            return None

    def read(self, file: TreeFile, most: int) -> bytes:
        """Return a file's content. Raises `CloneRefused` if it has more than `most` bytes, or if
        the clone is damaged.
        """
        return self._content(file.hash, most, Blob)

    def _tags(self) -> list[str]:
        """Return the names of Classroom 50's tags, without their prefix `submit/`."""
        packed = [line.partition(" ")[2] for line in self._text("packed-refs").splitlines()]
        with _reading(), suppress(FileNotFoundError):
            packed += [SUBMIT + one.name for one in entries(self.git / SUBMIT, self.top)]
        return [name.removeprefix(SUBMIT) for name in packed if name.startswith(SUBMIT)]

    def _commit_at(self, reference: str) -> str:
        """Return the hash of the commit to which a branch or tag points; "" if it does not exist.
        `reference` is its full name, such as `refs/heads/main`.
        """
        lines = (line.split(" ") for line in self._text("packed-refs").splitlines())
        packed = next((line[0] for line in lines if line[1:] == [reference]), "")
        found = self._text(reference).strip() or packed
        if reference.startswith(SUBMIT) and HASH.fullmatch(found):
            kind, data = self._object(found, MOST_PARSED)
            if kind == Tag.type_num:  # with a message, an object of its own
                with _reading():
                    found = Tag.from_string(data).object[1].decode()
        return found

    def _newest(self, hash: str, by: datetime) -> str:
        """Return the newest commit that is not later than `by`, searching from the commit `hash`
        back along first parents.

        Raises `CloneRefused` if there is none.
        """
        while (self._commit(hash).commit_time or 0) > by.timestamp():
            hash = next(iter(self._parents(hash)), "")
            if not hash:
                raise CloneRefused(
                    f"has no commit that says it was made by {time_text(by, by.tzinfo or UTC)}"
                )
        return hash

    def _text(self, name: str) -> str:
        try:
            data = read_regular(self.git / name, MOST_REFERENCES, self.top)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except OSError as error:
            raise CloneRefused(f"cannot be read (`{printable(name)}`: {_reason(error)})") from error
        return data.decode("utf-8", "replace")

    def _check_objects(self) -> None:
        """Raise `CloneRefused` if objects are stored outside the clone, by links or by git's
        `alternates`: they could belong to another user.
        """
        try:
            if kind_of(self.git / "objects", self.top) != "folder":
                raise CloneRefused("is no clone: it has no folder of objects")
            for parts, entry in walk(self.git / "objects", self.top, DEEPEST):
                if entry.kind != "file" or parts == ("info", "alternates"):
                    raise CloneRefused("has links to objects elsewhere; clone it again")
        except OSError as error:
            raise CloneRefused(f"cannot be read ({_reason(error)})") from error

    def _commit(self, hash: str) -> Commit:
        data = self._content(hash, MOST_PARSED, Commit)
        with _reading():
            return Commit.from_string(data)

    def _parents(self, hash: str) -> list[str]:
        """Return the hashes of those parents of a commit that the clone has. A shallow clone lacks
        some.
        """
        parents = [parent.decode() for parent in self._commit(hash).parents]
        return [parent for parent in parents if self._find(parent)]

    def _tree(self, hash: str) -> list[tuple[bytes, int, bytes]]:
        """Return name, mode and hash of each entry in a tree object."""
        data = self._content(hash, MOST_PARSED, Tree)
        with _reading():
            return list(parse_tree(data, SHA1.oid_length))

    def _entry(self, commit: str, path: bytes) -> tuple[int, bytes] | None:
        """Return mode and hash of the file at `path` in a commit; None if the commit has no such
        file.
        """
        found = FOLDER, self._commit(commit).tree
        for part in path.split(b"/"):
            there = self._tree(found[1].decode()) if found[0] == FOLDER else []
            inside = [(mode, hash) for name, mode, hash in there if name == part]
            if not inside:
                return None
            found = inside[0]
        return found

    def _content(self, hash: str, most: int, kind: type[ShaFile]) -> bytes:
        found, data = self._object(hash, most)
        if found != kind.type_num:
            raise CloneRefused(DAMAGED)
        return data

    def _object(self, hash: str, most: int) -> tuple[int, bytes]:
        """Return the type number and the content of a git object.

        Raises `CloneRefused` if it has more than `most` bytes, or if its content does not have this
        hash.
        """
        where, size = self._find(hash) or (b"", 0)
        if size > most:
            raise CloneRefused(f"holds more than the {most} bytes that are read")
        with _reading():
            if isinstance(where, Pack):
                kind, data = where.get_raw(hex_to_sha(hash))
            else:
                self.take(size)
                one = ShaFile.from_file(io.BytesIO(where), max_size=size + LONGEST_HEADER)
                kind, data = one.type_num, one.as_raw_string()
            if obj_sha(kind, data, sha1).hex() != hash:
                raise CloneRefused(DAMAGED)
            return kind, data

    def _find(self, hash: str) -> tuple[Pack | bytes, int] | None:
        """Return where an object is stored, and its size in bytes; None if the clone lacks it.

        The place is a pack, or the bytes of the object's own file.
        """
        with _reading():
            name, packs = hex_to_sha(hash), _packs(self)
            self.take(EACH // 16 * len(packs))
            for data, pack in packs:
                with suppress(KeyError):
                    return pack, data.size_at(pack.index.object_offset(name))
            path = self.git / "objects" / hash[:2] / hash[2:]
            with suppress(FileNotFoundError):
                alone = read_regular(path, MOST_OBJECT, self.top)
                self.take(len(alone))
                header = zlib.decompressobj().decompress(alone, LONGEST_HEADER)
                return alone, int(header.partition(b"\0")[0].split()[1])
        return None

    def take(self, size: int) -> None:
        """Count `size` bytes against the limits on reading this clone, before they are allocated.

        Raises `CloneRefused` if a limit is exceeded.
        """
        self.used += size + EACH
        if size > MOST_OBJECT or self.used > MOST_READ:
            raise CloneRefused(DAMAGED)


class _PackData(PackData):
    """A pack of a clone in memory. It counts the size of each object against the limits on reading
    the clone before inflating or assembling it.
    """

    def __init__(self, data: bytes, take: Callable[[int], None]):
        self._take = take
        self._bytes = data
        super().__init__("pack", SHA1, file=io.BytesIO(data))

    def size_at(self, offset: int) -> int:
        """Return the size in bytes of the object at an offset in the pack."""
        kind, size = self._header(offset)
        return self._result(self.get_unpacked_object_at(offset)) if kind in DELTA_TYPES else size

    def get_unpacked_object_at(self, offset: int, *, include_comp: bool = False) -> UnpackedObject:
        self._take(self._header(offset)[1])
        found = super().get_unpacked_object_at(offset, include_comp=include_comp)
        if found.pack_type_num in DELTA_TYPES:
            self._take(self._result(found))
        return found

    def _header(self, offset: int) -> tuple[int, int]:
        number, after = _number(self._bytes, offset)
        kind = number >> 4 & 7
        if kind == OFFSET_DELTA:
            _number(self._bytes, after)
        return kind, number >> 7 << 4 | number & 15

    def _result(self, delta: UnpackedObject) -> int:
        """Return the size in bytes of the object that a delta produces."""
        data = b"".join(delta.decomp_chunks)
        return _number(data, _number(data, 0)[1])[0]

    def __del__(self) -> None:
        self.close()


class _Pack(Pack):
    def __del__(self) -> None:
        self.close()


@lru_cache(maxsize=1)
def _packs(clone: Clone) -> list[tuple[_PackData, Pack]]:
    """Return the packs of a clone, parsed; those of the last clone are cached.

    Raises `OSError`, or any exception of dulwich's if a pack is damaged.
    """
    folder, room = clone.git / "objects" / "pack", MOST_PACKED
    found: list[tuple[_PackData, Pack]] = []
    inside = entries(folder, clone.top) if kind_of(folder, clone.top) else []
    for name in (one.name for one in inside if one.name.endswith(".idx")):
        index = read_regular(folder / name, room, clone.top)
        packed = read_regular((folder / name).with_suffix(".pack"), room - len(index), clone.top)
        room -= len(index) + len(packed)
        data = _PackData(packed, clone.take)
        with io.BytesIO(index) as file:
            found.append((data, _Pack.from_objects(data, load_pack_index_file(name, file, SHA1))))
    return found


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return the variable-length number at the position `at` in the bytes of a pack, and the
    position after it.

    Raises `CloneRefused` if the number is longer than any in a sound pack.
    """
    found = data[at : at + LONGEST_NUMBER]
    length = next((count for count, byte in enumerate(found, 1) if byte < 128), 0)
    if not length:
        raise CloneRefused(DAMAGED)
    return sum((byte & 127) << 7 * i for i, byte in enumerate(found[:length])), at + length


@contextmanager
def _reading() -> Iterator[None]:
    """Within the block, turn every exception into a `CloneRefused`: the clone is damaged."""
    try:
        yield
    except CloneRefused:
        raise
    except Exception as error:  # dulwich has a dozen kinds, and Python's own
        raise CloneRefused(DAMAGED) from error


def _reason(error: OSError) -> str:
    return str(error) if isinstance(error, NotRegular) else error.strerror or "no reason is given"
