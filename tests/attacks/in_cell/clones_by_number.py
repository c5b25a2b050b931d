# Neither a process nor a namespace by the raw call.
# proof: EPERM EPERM EPERM
# unwalled: made made made
import ctypes
import errno
import os
import platform

SIGCHLD, USER, NET_AND_MOUNT = 17, 0x10000000, 0x40000000 | 0x20000
libc = ctypes.CDLL(None, use_errno=True)
number, said = (56 if platform.machine() == "x86_64" else 220), []
for flags in (SIGCHLD, USER | SIGCHLD, USER | NET_AND_MOUNT | SIGCHLD):
    child = libc.syscall(number, flags, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    said.append("made" if child > 0 else errno.errorcode[ctypes.get_errno()])
prove(*said)
