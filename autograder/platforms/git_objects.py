"""Read a student's clone: what its newest commit holds, and when a file was last changed.

A `.git` folder that came from somebody else may hold hooks, settings, filters and links that make git
run programs. So git never works in one: it works in an empty repository of our own, and gets nothing
of the clone but the folder of its objects, which are data. The clone's settings, hooks, attributes,
references to other places and its work tree are not read. (https://git-scm.com/docs/git-clone and
https://git-scm.com/docs/git#Documentation/git.txt-codeGITOBJECTDIRECTORYcode)
"""

import atexit
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Timer
from typing import IO

from autograder.files import NotRegular, kind_of, read_regular, walk
from autograder.patterns import Pattern
from autograder.text import printable

SECONDS = 10  # of the processor, for all questions to git about one clone
PATIENCE = 120  # seconds of the clock for one, on a machine with other things to do
TOOK_LONG = "is damaged, or took git too long; clone it again"
MEMORY = 2 << 30  # bytes that git may use
MOST_LISTED = 4 << 20  # bytes of a list of files
MOST_FILES = 20_000  # in it
MOST_REFERENCES = 4 << 20  # bytes
DEEPEST = 4  # folders in the folder of objects
HASH = Pattern(r"[0-9a-f]{40}")
BRANCH = Pattern(r"ref: (refs/heads/[A-Za-z0-9][\w./+@#=-]*)")
LINE = Pattern(rb"(?s)(\d{6}) ([a-z]+) ([0-9a-f]{40}) +(\d+|-|BAD)\t(.+)")
REGULAR = ("100644", "100755", "100664")
NO_FILE = "/dev/null"
SETTINGS = {
    "core.hooksPath": NO_FILE,
    "core.fsmonitor": "false",
    "core.attributesFile": NO_FILE,
    "core.commitGraph": "false",  # made by whoever made the clone, and believed without a check
    "core.multiPackIndex": "false",
    "log.mailmap": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
}


class CloneRefused(Exception):
    """This clone, or a file of it, is not read; the message says why, to follow its name."""


@dataclass(frozen=True)
class TreeFile:
    """An entry of a commit: `regular` is a file, others are links and submodules."""

    path: str
    regular: bool
    size: int
    hash: str


@dataclass(frozen=True)
class Clone:
    """The folder of a clone below the folder `top`, which staff named."""

    folder: Path
    top: Path
    used: list[float] = field(default_factory=list, compare=False)  # seconds of each question

    @property
    def git(self) -> Path:
        return self.folder / ".git"

    def newest_commit(self) -> str:
        """Return the commit at the tip of the branch that was cloned. Raises `CloneRefused`."""
        self._check_objects()
        head = self._text("HEAD").strip()
        branch = BRANCH.fullmatch(head)
        found = self._commit_of(branch[1]) if branch and ".." not in head else head
        if not found:
            raise CloneRefused("has no commit: nothing was pushed")
        if not HASH.fullmatch(found):
            raise CloneRefused("keeps its branches in a way that is not read; clone it again")
        return found

    def files(self, commit: str) -> list[TreeFile]:
        """Return what the commit holds. Raises `CloneRefused`."""
        listed = self._ask(MOST_LISTED, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
        if listed.count(b"\0") > MOST_FILES:
            raise CloneRefused(f"holds more than {MOST_FILES:,} files")
        return [_tree_file(line) for line in listed.split(b"\0") if line]

    def changed(self, commit: str, path: str) -> datetime | None:
        """Return the time of the last commit that changed a file, as its author's machine wrote it.

        Raises `CloneRefused`.
        """
        name = path.encode("utf-8", "surrogateescape")
        said = self._ask(100, "log", "-1", "--format=%ct", commit, "--", name).decode().strip()
        try:
            return datetime.fromtimestamp(int(said), UTC)
        except (OverflowError, ValueError, OSError):
            return None

    def read(self, file: TreeFile, most: int) -> bytes:
        """Return a file's content. Raises `CloneRefused` where it has more than `most` bytes."""
        return self._ask(most, "cat-file", "blob", file.hash)

    def _commit_of(self, branch: str) -> str:
        """The commit of a branch, "" where it has none."""
        alone = self._text(branch).strip()
        if alone:
            return alone
        lines = (line.split(" ") for line in self._text("packed-refs").splitlines())
        return next((line[0] for line in lines if line[1:] == [branch]), "")

    def _text(self, name: str) -> str:
        try:
            data = read_regular(self.git / name, MOST_REFERENCES, self.top)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except OSError as error:
            raise CloneRefused(f"cannot be read (`{printable(name)}`: {_reason(error)})") from error
        return data.decode("utf-8", "replace")

    def _check_objects(self) -> None:
        """Refuse objects that are elsewhere: they could be anybody's who uses this machine."""
        try:
            if kind_of(self.git / "objects", self.top) != "folder":
                raise CloneRefused("is no clone: it has no folder of objects")
            for parts, entry in walk(self.git / "objects", self.top, DEEPEST):
                if entry.kind != "file" or parts == ("info", "alternates"):
                    raise CloneRefused("has links to objects elsewhere; clone it again")
        except OSError as error:
            raise CloneRefused(f"cannot be read ({_reason(error)})") from error

    def _ask(self, most: int, *question: str | bytes) -> bytes:
        """What git prints, which is refused where it has more than `most` bytes."""
        environment = {
            "GIT_OBJECT_DIRECTORY": str((self.git / "objects").absolute()),
            "GIT_SHALLOW_FILE": _shallow_file(self._text("shallow")),
        }
        begin = _used_by_children()
        try:
            with _git(question, environment, SECONDS - sum(self.used)) as output:
                data = output.read(most + 1)
        finally:
            self.used.append(_used_by_children() - begin)
        if len(data) > most:
            raise CloneRefused(f"holds more than the {most} bytes that are read")
        return data


def _tree_file(line: bytes) -> TreeFile:
    found = LINE.fullmatch(line)
    if not found:
        raise CloneRefused("has a list of files that cannot be read")
    mode, kind, hash, size, path = found.groups()
    regular = kind == b"blob" and mode.decode() in REGULAR
    name = path.decode("utf-8", "surrogateescape")
    return TreeFile(name, regular, int(size) if size.isdigit() else 0, hash.decode())


@contextmanager
def _git(
    question: tuple[str | bytes, ...], environment: dict[str, str], seconds: float
) -> Iterator[IO[bytes]]:
    """Git's output, while it is running. Raises `CloneRefused` where it does not end well."""
    if seconds <= 0:
        raise CloneRefused(TOOK_LONG)
    settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
    flags = ("--no-pager", "--no-replace-objects", "--literal-pathspecs", "--no-optional-locks")
    process = subprocess.Popen(
        [_program(), *flags, *settings, *question],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environment(_empty_repository()) | environment,
        cwd=_empty_repository(),
    )
    _limit(process.pid, math.ceil(seconds))
    late = Timer(PATIENCE, process.kill)
    late.start()
    whole = False
    try:
        assert process.stdout is not None
        with process.stdout as output:
            yield output
            whole = not output.read(1)
    finally:
        late.cancel()
        if not whole:
            process.kill()
        status = process.wait()
    if whole and status:
        raise CloneRefused(TOOK_LONG)


def clean_environment(repository: Path) -> dict[str, str]:
    """Return an environment in which git reads no settings but those of this repository."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "HOME": str(repository.absolute()),
        "GIT_DIR": str(repository.absolute()),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": NO_FILE,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",
    }


def make_repository(folder: Path) -> None:
    """Make an empty repository without a work tree, of which nothing is anybody's template.

    Raises `CloneRefused` where there is no git, and `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    words = (
        "init",
        "--quiet",
        "--bare",
        "--template=",
        "--initial-branch=none",
        str(folder.absolute()),
    )
    done = subprocess.run(
        [_program(), *words], env=clean_environment(folder), cwd=folder, capture_output=True
    )
    if done.returncode:
        raise CloneRefused(f"cannot be read: git makes no repository in `{folder}`")


def _program() -> str:
    program = shutil.which("git")
    if program is None:
        raise CloneRefused("cannot be read: there is no git on this machine; install it")
    return program


@cache
def _empty_repository() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="autograder-git-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    make_repository(folder)
    return folder


@cache
def _shallow_file(text: str) -> str:
    """A file of ours with the commits at which a clone's history was cut off."""
    hashes = [line for line in text.split() if HASH.fullmatch(line)]
    descriptor, name = tempfile.mkstemp(dir=_empty_repository(), prefix="shallow-")
    with os.fdopen(descriptor, "w") as file:
        file.writelines(f"{hash}\n" for hash in hashes)
    return name


def _used_by_children() -> float:
    """Seconds of the processor that this process's children have used, of those that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _limit(pid: int, seconds: int) -> None:
    if sys.platform == "linux":
        import resource  # which other systems do not have

        resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))


def _reason(error: OSError) -> str:
    return str(error) if isinstance(error, NotRegular) else error.strerror or "no reason is given"
