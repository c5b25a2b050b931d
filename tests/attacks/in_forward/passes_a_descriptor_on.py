# By the raw call, which the kernel would take for a bad address (EFAULT) if it looked at it.
# state: error
# says: `PermissionError` in `attention`
# proof: sendmsg: EPERM
import ctypes
import errno
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(46 if platform.machine() == "x86_64" else 211, 3, 0, 0)
prove("sendmsg:", errno.errorcode[ctypes.get_errno()])
raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
