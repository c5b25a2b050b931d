"""The walls: a warm parent inside bubblewrap, and for each candidate namespaces, filter and limits."""

from autograder.sandbox.choose import choose_walls
from autograder.sandbox.errors import SandboxError
from autograder.sandbox.limits import Limits
from autograder.sandbox.walls import NAMESPACES, PRACTICE, Walls
from autograder.sandbox.warm_parent import Process

__all__ = ["NAMESPACES", "PRACTICE", "Limits", "Process", "SandboxError", "Walls", "choose_walls"]
