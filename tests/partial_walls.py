"""Candidates behind walls, or behind all walls but one: those are made from a copy of the candidate's code,
which a test can edit.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder.engine import SandboxError, Submission
from autograder.engine.examiner import Clock, Supervisor
from autograder.engine.limits import NAMESPACES, Limits
from autograder.engine.notebooks import Cell
from autograder.engine.sandbox import mounts, self_test
from autograder.engine.sandbox.walls import Walls
from autograder.engine.sandbox.warm_parent import ParentConnection, WarmParent

INSIDE = "/srv/copy"  # where candidates in namespaces see the copy
FIRST = 'exec(limits.pop("first", ""), {"limits": limits}) or serve(limits'
MODULES = "import os, resource; from autograder.engine.candidate import kernel, walls\n"


number_of, run_in, ask = self_test._number, self_test._run, self_test._ask  # of a candidate


def run_cell(source: str, walls: Walls | ParentConnection, limits: Limits = Limits()) -> Supervisor:
    """Run a cell of code behind walls, or in a candidate of a warm parent."""
    submission = Submission([Cell("cell", "code", source)])
    with Supervisor(walls, Clock(limits), submission) as supervisor:
        supervisor.run_cells()
    return supervisor


def printed(source: str, walls: Walls | ParentConnection) -> str:
    """Return what a cell of code prints."""
    supervisor = run_cell(source, walls)
    assert supervisor.fatal == {} and supervisor.faults == {}, supervisor.outputs
    (output,) = supervisor.outputs["cell"]
    return output["text"].decode().strip()


@contextmanager
def untested_parent(level: str) -> Iterator[WarmParent]:
    """A warm parent without its self-test, which would tell what a test is to find."""
    parent = WarmParent(level)
    parent.await_ready()
    try:
        yield parent
    finally:
        parent.close()


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
