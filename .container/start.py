"""Try the walls, then run a command of the autograder: where they do not hold, say what the host must allow."""

import os
import sys

from autograder.engine.process import SandboxError
from autograder.engine.sandbox import choose_walls

NOT_GRADED = 3  # the command line's exit status for a fault of the machine


def main() -> None:
    """Become the command line behind walls that hold; else exit with status 3."""
    try:
        choose_walls("require").close()
    except SandboxError as error:
        print(f"autograder: {error}", file=sys.stderr)
        sys.exit(NOT_GRADED)
    os.execv(sys.executable, [sys.executable, "-m", "autograder", *sys.argv[1:]])


main()
