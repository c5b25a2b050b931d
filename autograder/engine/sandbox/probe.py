"""Try to get through the walls from inside. The self-test runs this code as a candidate.

Its text is sent as a cell. It needs only Python's standard library.
"""

import ctypes
import errno
import mmap
import os
import socket
import threading

NO_SIGNAL = 0
PRIVATE = ("/tmp", "/workdir", "/dev/shm")
FOLDERS = (
    "/",
    "/etc",
    "/proc",
    "/dev",
    "/home",
    "/root",
    "/var/tmp",
)  # of the host, if it has them
MOST_THREADS, MOST_FILES = 32, 20
CHANGES = (  # of a folder, whose path ends with a slash
    lambda folder: os.unlink(folder + "file"),
    lambda folder: os.rename(folder + "file", folder + "new"),
    lambda folder: os.link(folder + "file", folder + "new"),
    lambda folder: os.symlink("file", folder + "new"),
    lambda folder: os.mkdir(folder + "new"),
    lambda folder: os.rmdir(folder + "empty"),
)
GETPID_IN_32_BITS = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret
GETPID_BY_X32 = 0x40000000 | 39

libc = ctypes.PyDLL(
    None, use_errno=True
)  # keeps the GIL, so that a process that a call forks can end


def leave_notes(name):
    """Write a file called `name` into each folder that a candidate may write to."""
    for folder in PRIVATE:
        with open(os.path.join(folder, name), "w") as file:
            file.write("a note")


def find_gaps(
    hidden, telling, packages, folder, port, numbers, note, memory, calls, behind_landlock
):
    """Return the names of the walls that do not hold.

    `hidden`: paths of the host. `telling`: files and folders that must be empty or closed.
    `packages`: the folder of the packages. `folder`: of the host, with a file `file` and an
    empty folder `empty`. `port`: that of a server on the host's loopback.
    `numbers`: of processes outside. `note`: the name of a file that another candidate has just
    written, if it can. `memory`: more bytes than allowed. `calls`: (wall, name, number, arguments)
    of system calls that the filter must refuse. `behind_landlock`: instead of in namespaces.
    """
    create, places = os.O_CREAT | os.O_WRONLY, (*PRIVATE, *FOLDERS)
    ways = {
        "packages": lambda: _any(_tells, telling),
        "libraries": lambda: os.open(packages + "/note", create),
        "network": lambda: socket.create_connection(("127.0.0.1", port), 1),
        "memory": lambda: mmap.mmap(-1, memory, mmap.MAP_PRIVATE),
    }
    if behind_landlock:
        ways |= {
            "files": lambda: _any(_can_be_opened, (*hidden, *FOLDERS)),
            "folders": lambda: _any(lambda folder: os.open(folder + "/note", create), places),
            "changes": lambda: _any(lambda change: change(folder + "/") is None, CHANGES),
            "neighbours": lambda: _any(_can_be_signalled, numbers),
            "threads": lambda: _starts_threads(MOST_THREADS),
        }
    else:
        ways |= {
            "files": lambda: any(map(os.path.exists, hidden)),
            "ordinary user": lambda: 0 in (os.getuid(), os.getgid()),
            "neighbours": lambda: any(map(_is_there, numbers)),
            "notes": lambda: any(os.path.exists(os.path.join(folder, note)) for folder in PRIVATE),
        }
    gaps = [wall for wall, way in ways.items() if _leads_through(way)]
    for wall, name, number, arguments in calls:
        if _leads_through(lambda: _is_let_through(number, arguments)):  # noqa: B023
            gaps.append(f"filter: {wall} ({name})")
    return gaps


def _leads_through(way):
    try:
        return bool(way())
    except (OSError, RuntimeError):  # RuntimeError if a thread cannot start
        return False


def _any(way, places):
    return any(_leads_through(lambda: way(place)) for place in places)  # noqa: B023


def _tells(path):
    """Whether a file, or one of the first MOST_FILES of a folder, is readable and not empty."""
    if os.path.isdir(path):
        return _any(_tells, [os.path.join(path, name) for name in os.listdir(path)[:MOST_FILES]])
    return os.read(os.open(path, os.O_RDONLY), 1)


def _can_be_opened(path):
    """Whether a file can be opened for reading or for writing, or a folder for reading."""
    return _any(lambda access: os.open(path, access) > 0, (os.O_RDONLY, os.O_WRONLY))


def _can_be_signalled(number):
    os.kill(number, NO_SIGNAL)
    return True


def _starts_threads(count):
    """Start `count` threads in addition to the main thread."""
    over = threading.Event()
    try:
        for _ in range(count):
            threading.Thread(target=over.wait).start()
    finally:
        over.set()
    return True


def _is_there(number):
    try:
        os.kill(number, NO_SIGNAL)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it exists, and belongs to another user
    return True


def _is_let_through(number, arguments):
    pid = os.getpid()
    result = libc.syscall(number, *map(ctypes.c_long, arguments))
    if os.getpid() != pid:  # the call forked
        os._exit(0)
    return result != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS)


def call_in_32_bits():
    """Make a system call through the 32-bit interface of an x86_64 kernel."""
    # rules for 64-bit calls do not apply to this interface
    page = mmap.mmap(
        -1, 4096, mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    )
    page.write(GETPID_IN_32_BITS)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def call_by_an_x32_number():
    libc.syscall(GETPID_BY_X32)
