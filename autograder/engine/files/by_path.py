"""Open files on Windows without following links below a given folder.

Windows has no descriptors of folders, so a link that somebody creates while a file is being opened
is not noticed. Classes are graded on Linux, where `reading.py` alone opens files.
"""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

LINKS = {  # other reparse tags of Windows, such as those of cloud files, lead nowhere
    getattr(stat, "IO_REPARSE_TAG_SYMLINK", None),
    getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None),
}
AS_BYTES = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # else Windows changes line ends


def open_regular(top: Path, parts: Sequence[str]) -> int:
    """Open the file at `top` / `parts` for reading and return its descriptor.

    Raise `OSError` with errno ENOTDIR if the path contains a link below `top`, or is not a regular
    file.
    """
    path, expected = _down(top, parts, stat.S_ISREG)
    descriptor = os.open(path, AS_BYTES)
    if not os.path.samestat(expected, os.fstat(descriptor)):  # replaced meanwhile
        os.close(descriptor)
        raise _no_such_kind()
    return descriptor


def folder(top: Path, parts: Sequence[str]) -> Path:
    """Return the path of the folder at `top` / `parts`.

    Raise `OSError` with errno ENOTDIR if a part below `top` is a link or not a folder.
    """
    return _down(top, parts, stat.S_ISDIR)[0]


def is_link(info: os.stat_result) -> bool:
    """Whether a file with this `os.lstat` result is a symbolic link or a Windows junction."""
    return stat.S_ISLNK(info.st_mode) or getattr(info, "st_reparse_tag", None) in LINKS - {None}


def _down(
    top: Path, parts: Sequence[str], is_expected: Callable[[int], bool]
) -> tuple[Path, os.stat_result]:
    """Return the path `top` / `parts`, with links in `top` itself resolved, and its status.

    `is_expected`: a test of the mode of the last part. Raise `OSError` with errno ENOTDIR if it
    fails, or if a part of the path is a link.
    """
    path = Path(os.path.realpath(top))  # `top` was named by staff: it may be a link
    info = os.stat(path)
    for name in parts:
        if not stat.S_ISDIR(info.st_mode):
            raise _no_such_kind()
        path /= name
        info = os.lstat(path)
        if is_link(info):
            raise _no_such_kind()
    if not is_expected(info.st_mode):
        raise _no_such_kind()
    return path, info


def _no_such_kind() -> OSError:
    return OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
