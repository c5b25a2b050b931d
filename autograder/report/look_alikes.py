"""Read the pairs of similar submissions that the command `look-alikes` wrote. They are for staff
only.
"""

from pathlib import Path

import msgspec

from autograder.files.reading import read_regular
from autograder.staff.look_alikes.file import NAME, LookAlikes
from autograder.text.errors import CommandError

MAX_BYTES = 64 << 20


def read_look_alikes(folder: Path) -> LookAlikes | None:
    """Read what `look-alikes` wrote into an assignment's folder of results; return None if it was
    not run.

    Raises `CommandError` if the file is damaged, or is of another assignment.
    """
    path = folder / NAME
    try:
        found = msgspec.json.decode(read_regular(path, MAX_BYTES, folder), type=LookAlikes)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CommandError(
            f"`{path}` cannot be read: run `python -m autograder look-alikes` again."
        ) from error
    if found.assignment != folder.resolve().name:
        raise CommandError(f"`{path}` is of `{found.assignment}`: put it where it belongs.")
    return found
