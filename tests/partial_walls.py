"""Candidates that leave a wall out: made from a copy of the candidate's code, which a test can edit."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.engine.limits.process import NAMESPACES, SandboxError
from autograder.engine.sandbox import mounts
from autograder.engine.sandbox.warm_parent import WarmParent

INSIDE = "/srv/copy"  # where candidates in namespaces see the copy
FIRST = 'exec(limits.pop("first", ""), {"limits": limits}) or serve(limits'
MODULES = "import os, resource; from autograder.engine.candidate import kernel, walls\n"


def copy_candidate(folder: Path) -> Path:
    """Copy the candidate's code into a folder; return the copy. Each candidate that is forked from
    it runs the line `first` of its limits before it builds its walls.
    """
    copy = folder / "autograder"
    shutil.copytree(mounts.PACKAGE / "engine/candidate", copy / "engine/candidate")
    for name in ("__init__.py", "engine/__init__.py"):
        shutil.copy(mounts.PACKAGE / name, copy / name)
    edit(copy, "parent.py", "serve(limits", FIRST)
    return copy


def edit(copy: Path, name: str, old: str, new: str) -> None:
    """Replace the text `old`, which a module of the copied code has once."""
    file = copy / "engine/candidate" / name
    assert file.read_text().count(old) == 1
    file.write_text(file.read_text().replace(old, new))


def start_copied(level: str, copy: Path) -> WarmParent:
    """Return a warm parent that runs the copied code. It is ready, and its walls are not tested."""
    options = mounts.options
    shown = ["--perms", "0755", "--dir", "/srv", "--ro-bind", str(copy), INSIDE]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mounts, "PACKAGE", copy)
        patch.setattr(mounts, "options", lambda code: [*shown, *options(code)])
        parent = WarmParent(level)
        parent.await_ready()
    return parent


def path_inside(level: str, copy: Path) -> str:
    """Return the path of the copy, as a candidate sees it before it builds its walls."""
    return INSIDE if level == NAMESPACES else str(copy)


def named(test: Callable[[], object]) -> set[str]:
    """Return the walls that a test of them names."""
    try:
        test()
    except SandboxError as error:
        return set(re.findall("`(.*?)`", str(error)))
    return set()
