"""What stops an export; the message is the one sentence that is said."""

from autograder.cli.exit_status import FAILED, USAGE


class ExportError(Exception):
    """Nothing can be exported as it was asked for; the message says why and what to do."""

    status = USAGE


class UnreadableGradebook(ExportError):
    """There is a gradebook, and what it holds cannot be told."""

    status = FAILED
