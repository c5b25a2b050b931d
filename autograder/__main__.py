"""The command line: `python -m autograder collect | grade | export | sample-class`."""

import argparse
import sys

from autograder.engine.assignment import UnknownAssignment
from autograder.cli import collect, export, grade, sample_class
from autograder.cli.exit_status import FAILED, STOPPED, refuse

COMMANDS = collect, grade, export, sample_class


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m autograder", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except UnknownAssignment as error:
        return refuse(str(error))
    except OSError as error:
        what = f"`{error.filename}`: {error.strerror}" if error.filename else str(error)
        return refuse(f"{what}. What was finished before is kept.", FAILED)
    except KeyboardInterrupt:
        return refuse("Stopped. What was finished is kept; run again for the rest.", STOPPED)


if __name__ == "__main__":
    sys.exit(main())
