"""What a kill matrix is asked for; imports no torch, so that `--help` is fast."""

from typing import NamedTuple


class MatrixOptions(NamedTuple):
    """Which submissions are graded, and how much is measured."""

    every_way: bool = False  # of a mistake, not only the first
    seeds: int = 0  # with which what is right is examined in float32
    exercise: str = ""  # this one only
    mistake: str = ""  # this one only
    composed: int = 0  # correct ones and as many wrong ones, composed at random
    seed: int = 0  # of what is composed
