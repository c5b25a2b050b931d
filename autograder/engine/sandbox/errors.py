"""Why walls cannot be built here."""

from autograder.engine.limits.process import SandboxError


class NotInstalled(SandboxError):
    """A program or library that the walls need is not there; the message says which."""


class Gap(SandboxError):
    """The walls stand and let something through; the message says what."""
