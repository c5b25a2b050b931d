"""Read the pairs of similar submissions that `look-alikes` has written. For staff only."""

from pathlib import Path

import msgspec

from autograder.files.reading import read_regular
from autograder.staff.look_alikes.file import NAME, LookAlikes
from autograder.text.errors import CommandError

MAX_BYTES = 64 << 20


def read_look_alikes(folder: Path) -> LookAlikes | None:
    """Return the look-alikes in an assignment's folder of results; None where nobody looked for any.

    Raises `CommandError`.
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
