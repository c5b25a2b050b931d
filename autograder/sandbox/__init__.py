"""The walls: a warm parent inside bubblewrap, and for each candidate namespaces, filter and limits."""

from autograder.sandbox.bubblewrap import SandboxError
from autograder.sandbox.choose import choose_walls
from autograder.sandbox.walls import NAMESPACES, PRACTICE, Limits, Process, Walls

__all__ = ["NAMESPACES", "PRACTICE", "Limits", "Process", "SandboxError", "Walls", "choose_walls"]
