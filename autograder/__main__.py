"""The command line: `python -m autograder COMMAND`."""

import sys

from autograder.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
