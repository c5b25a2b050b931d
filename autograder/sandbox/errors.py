"""Why nothing can be graded here."""


class SandboxError(Exception):
    """The walls do not stand on this machine: nothing is graded, and nobody gets a zero for it."""


class NotInstalled(SandboxError):
    """A program or library that the walls need is not there; the message says which."""


class Gap(SandboxError):
    """The walls stand and let something through; the message says what."""
