# prints: refused 4
import fcntl
import os
import struct

refused = 0
file = open(os.__file__)
lock = struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0)
for way in (
    lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
    lambda: fcntl.fcntl(file, fcntl.F_SETLK, lock),
    lambda: fcntl.fcntl(file, fcntl.F_GETLK, lock),
    lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
):
    try:
        way()
    except OSError:
        refused += 1
print("refused", refused)
