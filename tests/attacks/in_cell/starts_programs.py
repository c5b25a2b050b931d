# proof: PermissionError PermissionError PermissionError PermissionError
# unwalled: ran ran ran ran
import os
import subprocess
import sys

TRUE = "/bin/true"


def by_exec():
    child = os.fork()
    if child == 0:
        os.execv(TRUE, [TRUE])
    return os.waitpid(child, 0)[1]


def by_shell():
    if os.system("true") != 0:
        raise PermissionError


said = []
for way in (
    lambda: subprocess.run(["true"]),
    by_shell,
    lambda: os.waitpid(os.posix_spawn(TRUE, [TRUE], {}), 0),
    by_exec,
):
    try:
        way()
        said.append("ran")
    except OSError as error:
        said.append(type(error).__name__)
prove(*said)
