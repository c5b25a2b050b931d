"""Try the walls, then run a command of the autograder; where they do not hold, say what the host must allow."""

import os
import sys

from autograder.engine.limits.process import REQUIRE, SandboxError
from autograder.engine.sandbox.advice import LANDLOCK
from autograder.engine.sandbox.choose import choose_walls

NOT_GRADED = 3  # the command line's exit status for a fault of the machine
TO_ALLOW = """\
What the host must allow, for candidates to have namespaces of their own inside this container:
- its kernel, user namespaces for ordinary users. Where they are off: on Ubuntu 24.04
  `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`, on Debian before 11
  `sudo sysctl kernel.unprivileged_userns_clone=1`, elsewhere `sudo sysctl user.max_user_namespaces=10000`;
- its filter of system calls: `--security-opt seccomp=.container/seccomp.json` (of the project's checkout);
- a /proc that is not masked: in Podman `--security-opt 'unmask=/proc/*'`, in Docker
  `--security-opt systempaths=unconfined`;
- AppArmor, where it is on: `--security-opt apparmor=unconfined`.
"""


def main() -> None:
    """Become the command line behind walls that hold; else exit with status 3."""
    try:
        choose_walls(REQUIRE).close()
    except SandboxError as error:
        print(f"autograder: {error}", file=sys.stderr)
        if LANDLOCK in str(error):  # no walls, because namespaces are forbidden
            print(TO_ALLOW, end="", file=sys.stderr)
        sys.exit(NOT_GRADED)
    os.execv(sys.executable, [sys.executable, "-m", "autograder", *sys.argv[1:]])


main()
