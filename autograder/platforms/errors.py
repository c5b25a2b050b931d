"""What stops an export; the message is the one sentence that is said."""

from autograder.errors import CommandError


class ExportError(CommandError):
    """Nothing can be exported as it was asked for; the message says why and what to do."""
