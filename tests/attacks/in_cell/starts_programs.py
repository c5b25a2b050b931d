# prints: refused 4
import os
import subprocess
import sys

refused = 0
for way in (
    lambda: subprocess.run(["true"]),
    lambda: os.system("true") and os.truncate(-1, 0),
    lambda: os.posix_spawn(sys.executable, [sys.executable], {}),
    lambda: os.execv(sys.executable, [sys.executable]),
):
    try:
        way()
    except OSError:
        refused += 1
print("refused", refused)
