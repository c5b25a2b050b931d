"""Other users: names of user numbers that are not those of the machine, and commands that root runs as
somebody else.
"""

import grp
import os
import pwd
import stat
import sys
from pathlib import Path

from autograder.engine.sandbox.bubblewrap import _find_bubblewrap


def has_name() -> bool:
    """Whether this process's user number has a name. `docker run --user` gives numbers without."""
    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return True


def python_path_of(name: str, folder: Path) -> str:
    """Return the PYTHONPATH with which Python programs know every user number as `name`. Its module
    is written into `folder`, which is the user's home, too.
    """
    entry = (name, "x", os.getuid(), os.getgid(), "", str(folder), "/bin/sh")
    (folder / "sitecustomize.py").write_text(
        f"import pwd\npwd.getpwuid = lambda _: pwd.struct_passwd({entry})\n"
    )
    return str(folder)


def named(name: str, folder: Path) -> list[str]:
    """Return the words before a command for which the user number of this process is called `name`.
    It runs in namespaces, where another file of names lies over the machine's. The file is written
    into `folder`, which is the user's home, too.
    """
    names = folder / "passwd"
    names.write_text(f"{name}:x:{os.getuid()}:{os.getgid()}::{folder}:/bin/sh\n")
    return [str(_find_bubblewrap()), "--dev-bind", "/", "/", "--bind", str(names), "/etc/passwd"]


def becoming(user: str, group: str, folder: Path) -> list[str]:
    """Return the words before a command that root runs as another user, who is in a group.

    Where that user cannot reach this Python, as below root's home, the command runs in a mount
    namespace in which only Python is there. `folder`: an empty one, on which Python is mounted.
    """
    own, other = pwd.getpwnam(user), grp.getgrnam(group).gr_gid
    ids = [f"--reuid={own.pw_uid}", f"--regid={own.pw_gid}", f"--groups={own.pw_gid},{other}"]
    words = ["setpriv", *ids, "--inh-caps=-all"]
    python = Path(sys.base_prefix)
    closed = [one for one in python.parents if not one.stat().st_mode & stat.S_IXOTH]
    if not closed:
        return words
    script = (
        'mount --bind "$1" "$2"; mount -t tmpfs -o mode=755 none "$0"; mkdir -p "$1"; '
        'mount --bind "$2" "$1"; shift 2; exec "$@"'
    )
    return [
        "unshare",
        "--mount",
        "sh",
        "-ec",
        script,
        *map(str, (closed[-1], python, folder)),
        *words,
    ]
