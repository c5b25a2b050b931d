"""Read the files that nbgrader's exchange puts beside a submission.

`timestamp.txt` is the submission time. The secret allows the student to fetch feedback.
"""

from pathlib import Path

from autograder.engine.files.reading import read_regular

TIMESTAMP = "timestamp.txt"
MAX_TIMESTAMP = 200  # bytes: a longer file is ignored
SECRET = "submission_secret.txt"
MAX_SECRET = 1000  # bytes; nbgrader's has 128


def read_timestamp(folder: Path, top: Path) -> str:
    """Return the first line of `timestamp.txt` in `folder`.

    Return "" if the file is missing, cannot be read, or has more than MAX_TIMESTAMP bytes. `top`:
    the folder below which no link is followed.
    """
    try:
        data = read_regular(folder / TIMESTAMP, MAX_TIMESTAMP, top)
    except OSError:
        return ""
    return data.decode(errors="replace").partition("\n")[0].strip()
