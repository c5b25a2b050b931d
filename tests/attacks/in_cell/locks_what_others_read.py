# prints: refused 2
import fcntl
import os

refused = 0
file = open(os.__file__)
for way in (
    lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
    lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
):
    try:
        way()
    except OSError:
        refused += 1
print("refused", refused)
