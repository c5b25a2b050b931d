"""The console that a run talks to."""

import sys

from rich.console import Console

PLAIN_WIDTH = 110  # columns, where nobody says how wide the terminal is


def console() -> Console:
    """As wide as the terminal, or as tables need where there is none."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
