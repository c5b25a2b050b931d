# proof: EPERM EPERM EPERM
# unwalled: changed changed changed
import errno
import os

said = []
for way in (
    lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, 5),
    lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
):
    try:
        way()
        said.append("changed")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)
