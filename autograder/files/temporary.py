"""A folder for the temporary files of this process, which a killed process leaves to the next one."""

import os
import shutil
import tempfile
import time
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from autograder.files.locks import locked
from autograder.text.errors import CommandError

PREFIX = "autograder-"
LOCKED_AFTER = 60  # seconds, at most, between the making of such a folder and its lock
KEPT: list[object] = []  # the folder and its lock, as long as this process lives


@cache
def use_own_temporary_folder() -> None:
    """Let temporary files of this process, and of those that it starts, lie in one folder, which goes
    at its end; remove those of this user's processes that were killed. Raises `OSError`.
    """
    own = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    lock = ExitStack()
    lock.enter_context(locked(Path(own.name), "in use"))
    KEPT.extend((own, lock))
    for left in Path(own.name).parent.glob(f"{PREFIX}*"):
        with suppress(OSError, CommandError), locked(left, "in use"):
            state = left.lstat()
            if state.st_uid == os.geteuid() and time.time() - state.st_mtime > LOCKED_AFTER:
                shutil.rmtree(left, ignore_errors=True)
    os.environ["TMPDIR"] = tempfile.tempdir = own.name
