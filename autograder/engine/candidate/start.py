"""The first code that runs inside bubblewrap: it drops privileges, then becomes the warm parent.

`sandbox/bubblewrap.py` calls `main`.
"""

import os
import socket

from autograder.engine.candidate import kernel


def main(control: int, program: int, uid: int) -> None:
    """Become an ordinary user, then answer commands until the examiner closes the control socket.

    `control`: the descriptor of that socket; `program`: the descriptor of the file with the seccomp
    filter, or -1 for practice without walls; `uid`: the user to become, or -1 for the current one.
    """
    rules = None
    if program >= 0:
        with open(program, "rb") as file:
            rules = file.read()
        _become_ordinary(uid)
    from autograder.engine.candidate.parent import Parent  # imports torch: as that user

    Parent(socket.socket(fileno=control), rules).serve()


def _become_ordinary(uid: int) -> None:
    """Become the user `uid` (-1: stay the current one), fork, and return in the child, the first
    process of a new pid namespace.

    The original process does not return: it waits for the child and exits with its code.
    """
    if uid >= 0:
        kernel.become(uid)
    ids = os.getuid(), os.getgid()
    kernel.unshare(kernel.NEW_USER | kernel.NEW_PID)
    kernel.map_ids(*ids)
    if child := os.fork():
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
