"""Arguments that several commands have."""

import argparse


def positive(text: str) -> int:
    """A whole number from 1 up."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number
