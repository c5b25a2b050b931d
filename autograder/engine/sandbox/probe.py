"""What the self-test runs as a candidate: it tries every wall, and says which ones let it through.

Its text is sent as a cell. It needs nothing but Python's own modules.
"""

import ctypes
import mmap
import os
import socket

NEW_USER = 0x10000000  # linux/sched.h
GET_SECCOMP, FILTERED = 21, 2  # linux/prctl.h, linux/seccomp.h
NO_SIGNAL = 0
PRIVATE = ("/tmp", "/workdir", "/dev/shm")


def leave_notes(name):
    """Write a file of this name wherever a candidate may write."""
    for folder in PRIVATE:
        with open(os.path.join(folder, name), "w") as file:
            file.write("a note")


def find_gaps(hidden, port, numbers, note, memory):
    """Return the names of the walls that do not hold.

    `hidden` are paths of the host, `port` a listener on its loopback, `numbers` of processes that
    are alive elsewhere, `note` a file that another candidate has just written, `memory` too much.
    """
    ways = {
        "files": lambda: any(map(os.path.exists, hidden)),
        "libraries": lambda: os.open("/packages/note", os.O_CREAT | os.O_WRONLY),
        "network": lambda: socket.create_connection(("127.0.0.1", port), 1),
        "processes": _fork,
        "memory": lambda: mmap.mmap(-1, memory),
        "neighbours": lambda: any(map(_is_there, numbers)),
        "notes": lambda: any(os.path.exists(os.path.join(folder, note)) for folder in PRIVATE),
        "filter": lambda: ctypes.CDLL(None).prctl(GET_SECCOMP, 0, 0, 0, 0) != FILTERED,
        "privileges": lambda: os.getuid() == 0 or ctypes.CDLL(None).unshare(NEW_USER) == 0,
    }
    return [wall for wall, way in ways.items() if _leads_through(way)]


def _leads_through(way):
    try:
        return bool(way())
    except OSError:
        return False


def _is_there(number):
    try:
        os.kill(number, NO_SIGNAL)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is, and belongs to somebody else
    return True


def _fork():
    if os.fork() == 0:
        os._exit(0)
    return True
