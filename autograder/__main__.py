"""The command line: `autograder COMMAND`, or `python -m autograder COMMAND`."""

import sys

import autograder._quick_start  # noqa: F401  before nbformat
from autograder._commands import main as commands
from autograder.engine import texts


def main() -> int:
    """Run the command that was typed; return its exit status."""
    texts.guard_streams()
    return commands.main()


if __name__ == "__main__":
    sys.exit(main())
