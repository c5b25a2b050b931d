"""Names of user numbers that are not those of the machine."""

import os
import pwd
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
