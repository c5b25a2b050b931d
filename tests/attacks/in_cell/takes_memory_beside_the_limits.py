# Memory that belongs to no process: files in memory, System V segments, message queues.
# proof: EPERM EPERM EPERM EPERM
# unwalled: got got got got
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)


def made(number):
    if number < 0:
        raise OSError(ctypes.get_errno(), "refused")


said = []
for way in (
    lambda: os.close(os.memfd_create("hoard")),
    lambda: made(libc.shmget(0, 1 << 20, 0o1600)),
    lambda: made(libc.msgget(0, 0o1600)),
    lambda: made(libc.semget(0, 8, 0o1600)),
):
    try:
        way()
        said.append("got")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)
