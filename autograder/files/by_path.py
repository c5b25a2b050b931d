"""Open files below a folder without following links on Windows, which has no folder descriptors.

It guards against links that are there, and not against somebody who swaps files meanwhile: classes
are graded on Linux, by `reading.py` alone.
"""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

LINKS = {  # of Windows; other marks, such as those of files that are kept in a cloud, lead nowhere
    getattr(stat, "IO_REPARSE_TAG_SYMLINK", None),
    getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None),
}
AS_BYTES = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # Windows changes ends of lines otherwise


def open_regular(top: Path, parts: Sequence[str]) -> int:
    """Return the descriptor of a regular file. Raises `OSError`, ENOTDIR for a link or another kind."""
    path, before = _down(top, parts, stat.S_ISREG)
    descriptor = os.open(path, AS_BYTES)
    if not os.path.samestat(before, os.fstat(descriptor)):  # swapped meanwhile
        os.close(descriptor)
        raise _no_such_kind()
    return descriptor


def folder(top: Path, parts: Sequence[str]) -> Path:
    """Return the path of a folder after checking that no link is on the way from `top`. Raises
    `OSError`.
    """
    return _down(top, parts, stat.S_ISDIR)[0]


def is_link(info: os.stat_result) -> bool:
    """Whether this is a symbolic link or a Windows junction."""
    return stat.S_ISLNK(info.st_mode) or getattr(info, "st_reparse_tag", None) in LINKS - {None}


def _down(
    top: Path, parts: Sequence[str], wanted: Callable[[int], bool]
) -> tuple[Path, os.stat_result]:
    """Return the path below `top`, and its status. Raises `OSError` unless it is of the wanted
    kind.
    """
    path = Path(os.path.realpath(top))  # which the staff named: it may be a link
    info = os.stat(path)
    for name in parts:
        if not stat.S_ISDIR(info.st_mode):
            raise _no_such_kind()
        path /= name
        info = os.lstat(path)
        if is_link(info):
            raise _no_such_kind()
    if not wanted(info.st_mode):
        raise _no_such_kind()
    return path, info


def _no_such_kind() -> OSError:
    return OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
