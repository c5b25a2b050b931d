# Neither a process nor a namespace by the raw call: EPERM is 1.
# prints: refused \[1, 1, 1\]
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
number, refused = (56 if platform.machine() == "x86_64" else 220), []
for flags in (17, 0x10000000 | 17, 0x40000000 | 0x20000 | 17):
    if libc.syscall(number, flags, 0, 0, 0, 0) == -1:
        refused.append(ctypes.get_errno())
print("refused", refused)
