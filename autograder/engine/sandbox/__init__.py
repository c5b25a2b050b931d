"""The walls: a warm parent inside bubblewrap, and for each candidate namespaces, filter and limits."""

from autograder.engine.sandbox.choose import choose_walls
from autograder.engine.sandbox.walls import Walls

__all__ = ["Walls", "choose_walls"]
