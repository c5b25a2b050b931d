# proof: refused 7 by \[.*\]
# unwalled: refused [01] by \[.*\]
import errno
import os

refused = []
for path in (
    *("/note", "/app/note", "/packages/torch/note", "/packages/sitecustomize.py", "/dev/note"),
    *("/app/autograder/channel.py", "/proc/note"),
):
    try:
        open(path, "w")
    except OSError as error:
        refused.append(errno.errorcode[error.errno])
prove(f"refused {len(refused)} by {sorted(set(refused))}")
