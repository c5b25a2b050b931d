"""Open files on Windows, which has no descriptors of folders, without following links below a given
folder.

A link that exists is found; one that somebody puts in while a file is opened is not. Classes are
graded on Linux, where `reading.py` alone opens files.
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
    """Open the file at `top` / `parts` for reading, without following a link below `top`; return
    its descriptor.

    Raises `OSError` with errno ENOTDIR if the path contains a link, or is not a regular file.
    """
    path, before = _down(top, parts, stat.S_ISREG)
    descriptor = os.open(path, AS_BYTES)
    if not os.path.samestat(before, os.fstat(descriptor)):  # swapped meanwhile
        os.close(descriptor)
        raise _no_such_kind()
    return descriptor


def folder(top: Path, parts: Sequence[str]) -> Path:
    """Return the path of the folder at `top` / `parts`, after checking that no part of the path
    below `top` is a link.

    Raises `OSError` with errno ENOTDIR if a part is a link or no folder.
    """
    return _down(top, parts, stat.S_ISDIR)[0]


def is_link(info: os.stat_result) -> bool:
    """Whether a file with this status, as `os.lstat` returns it, is a symbolic link or a Windows
    junction.
    """
    return stat.S_ISLNK(info.st_mode) or getattr(info, "st_reparse_tag", None) in LINKS - {None}


def _down(
    top: Path, parts: Sequence[str], wanted: Callable[[int], bool]
) -> tuple[Path, os.stat_result]:
    """Return the path `top` / `parts`, with links in `top` itself resolved, and its status.

    `wanted` gets the mode of the last part, and says whether it is of the right kind. Raises
    `OSError` with errno ENOTDIR if it is not, or if a part of the path is a link.
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
