# prints: refused 3
import os

refused = 0
for way in (
    lambda: os.sched_setaffinity(0, {0, 1}),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, 5),
    lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
):
    try:
        way()
    except PermissionError:
        refused += 1
print("refused", refused)
