# The x32 numbers of an x86_64 kernel; elsewhere it just ends.
# state: crashed
import ctypes
import os
import platform

if platform.machine() == "x86_64":
    ctypes.CDLL(None).syscall(0x40000000 | 57)
os._exit(0)
