"""Where bubblewrap's box begins: be nobody, then be the warm parent. `sandbox/` calls `main`."""

import os
import socket

from autograder.candidate import kernel


def main(control: int, program: int, uid: int) -> None:
    """Get ready and obey until the examiner closes the control socket.

    `control` is a descriptor; `program` one of the seccomp filter, or -1 for practice without walls;
    `uid` an ordinary user to become, or -1 to stay who we are.
    """
    rules = None
    if program >= 0:
        with open(program, "rb") as file:
            rules = file.read()
        _settle(uid)
    from autograder.candidate.parent import Parent  # torch comes in when we are who we stay

    Parent(socket.socket(fileno=control), rules).obey()


def _settle(uid: int) -> None:
    """Be an ordinary user, and the first process of a pid namespace in which to make more of them."""
    if uid >= 0:
        kernel.become(uid)
    ids = os.getuid(), os.getgid()
    kernel.unshare(kernel.NEW_USER | kernel.NEW_PID)
    kernel.map_ids(*ids)
    if child := os.fork():
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
