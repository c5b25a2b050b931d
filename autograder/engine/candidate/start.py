"""The first thing that runs inside bubblewrap: give up privileges, then be the warm parent.

`sandbox/bubblewrap.py` calls `main`.
"""

import os
import socket

from autograder.engine.candidate import kernel


def main(control: int, program: int, uid: int) -> None:
    """Become an ordinary user and serve commands until the examiner closes the control socket.

    `control` is a descriptor; `program` one of the seccomp filter, or -1 for practice without walls;
    `uid` an ordinary user to become, or -1 to stay who we are.
    """
    rules = None
    if program >= 0:
        with open(program, "rb") as file:
            rules = file.read()
        _become_ordinary(uid)
    from autograder.engine.candidate.parent import Parent  # imports torch: as that user

    Parent(socket.socket(fileno=control), rules).serve()


def _become_ordinary(uid: int) -> None:
    """Become this user, and the first process of a new pid namespace, in which candidates get their own."""
    if uid >= 0:
        kernel.become(uid)
    ids = os.getuid(), os.getgid()
    kernel.unshare(kernel.NEW_USER | kernel.NEW_PID)
    kernel.map_ids(*ids)
    if child := os.fork():
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
