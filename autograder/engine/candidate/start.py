"""Start a warm parent: drop privileges or make Landlock's rules, then import torch.

`sandbox/bubblewrap.py` and `sandbox/landlock.py` call the functions here.
"""

import json
import os
import shutil
import socket
import sys
from typing import TYPE_CHECKING

from autograder.engine.candidate import kernel
from autograder.engine.candidate.walls import WallSettings

if TYPE_CHECKING:  # it imports torch
    from autograder.engine.candidate.parent import Parent

LARGEST_PROGRAM = 4096 * 8  # bytes: BPF_MAXINSNS of linux/bpf_common.h
FOLDER_VARIABLES = ("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR")


def start_in_namespaces(control: int, program: int, uid: int) -> None:
    """Become an ordinary user, then answer commands until the examiner closes the control socket.

    `control`: the descriptor of the control socket. `program`: the descriptor of a file with the
    seccomp filter. `uid`: the user to become, or -1 for the current user.
    """
    rules = os.read(program, LARGEST_PROGRAM)
    _become_ordinary(uid)
    commands = socket.socket(fileno=control)
    if commands.recv(1, socket.MSG_PEEK):  # else this was a trial, which has succeeded
        _parent(commands, WallSettings(rules)).serve()


def start_for_landlock(control: int, program: int, own_number: int, folder: str) -> None:
    """Make Landlock's rules for candidates, then answer commands until the examiner closes the
    control socket.

    `control`, `program`: see `start_in_namespaces`. `own_number`: see `WallSettings`. `folder`: a
    folder with the candidate's code and the arguments of `kernel.landlock_rules`, which this process
    removes. Libraries may write into it while they are imported.
    """
    variables = {name: os.environ[name] for name in FOLDER_VARIABLES}
    os.environ.update(dict.fromkeys(FOLDER_VARIABLES, folder))
    try:
        with open(f"{folder}/rules") as file:
            ruleset = kernel.landlock_rules(**json.load(file), writable=[os.devnull])
        walls = WallSettings(os.read(program, LARGEST_PROGRAM), ruleset, own_number, variables)
        parent = _parent(socket.socket(fileno=control), walls)
        sys.path.remove(folder)  # where the candidate's code was
        parent.serve()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def start_without_walls(control: int) -> None:
    """Answer commands until the examiner closes the control socket with this descriptor."""
    _parent(socket.socket(fileno=control), None).serve()


def _parent(commands: socket.socket, walls: WallSettings | None) -> "Parent":
    from autograder.engine.candidate.parent import Parent  # imports torch

    return Parent(commands, walls)


def _become_ordinary(uid: int) -> None:
    """Become the user `uid` unless it is -1, fork, and return in the child, the first process of a
    new pid namespace.

    The original process does not return. It waits for the child and exits with its code.
    """
    if uid >= 0:
        kernel.become(uid)
    ids = os.getuid(), os.getgid()
    kernel.unshare(kernel.NEW_USER | kernel.NEW_PID)
    kernel.map_ids(*ids)
    if child := os.fork():
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
