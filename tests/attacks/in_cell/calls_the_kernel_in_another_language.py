# The x32 numbers of an x86_64 kernel; elsewhere it just ends.
# state: crashed
# proof: about to call
# unwalled: it answered
import ctypes
import os
import platform

X32, GETPID = 0x40000000, 39
prove("about to call")
if platform.machine() == "x86_64":
    ctypes.CDLL(None).syscall(X32 | GETPID)
    prove("it answered")
os._exit(0)
