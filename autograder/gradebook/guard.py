"""Have nbgrader refuse what it must not open, and go on with the others.

`nbgrader_config.py` calls `guard_nbgrader`.
"""

import sys


def guard_nbgrader() -> None:
    """Put our checks before nbgrader's own reading and copying, in every program that uses nbgrader.

    nbgrader has no hook for that: its `pre_convert_hook` is called after it has opened
    `timestamp.txt`, and what the hook raises is dropped. Where nbgrader is not in use, nothing is done:
    it takes a second to import.
    """
    if "nbgrader.converters" in sys.modules:
        from autograder.gradebook.guarded_nbgrader import install

        install()
