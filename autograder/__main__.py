"""The command line: `python -m autograder COMMAND`."""

import sys

from autograder.cli.main import main
from autograder.text.printable import guard_streams

if __name__ == "__main__":
    guard_streams()
    sys.exit(main())
