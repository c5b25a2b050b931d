# Memory that belongs to no process: files in memory, System V segments, message queues.
# prints: refused 4 of 4
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
ways = [
    lambda: os.memfd_create("hoard"),
    lambda: libc.shmget(0, 64 << 20, 0o1600) >= 0 or os.truncate(-1, 0),
    lambda: libc.msgget(0, 0o1600) >= 0 or os.truncate(-1, 0),
    lambda: libc.semget(0, 8, 0o1600) >= 0 or os.truncate(-1, 0),
]
refused = 0
for way in ways:
    try:
        way()
    except OSError:
        refused += 1
print("refused", refused, "of", len(ways))
