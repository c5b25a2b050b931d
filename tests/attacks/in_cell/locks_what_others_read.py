# proof: EPERM EPERM EPERM EPERM
# unwalled: locked locked locked (locked|EACCES)
import errno
import fcntl
import os
import struct

file, said = open(os.__file__), []
lock = struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0)
for way in (
    lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
    lambda: fcntl.fcntl(file, fcntl.F_SETLK, lock),
    lambda: fcntl.fcntl(file, fcntl.F_GETLK, lock),
    lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
):
    try:
        way()
        said.append("locked")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)
