"""nbgrader's `release_feedback`, where nothing that a student sent beside the notebook is copied on.

Students fetch a page by the secret that nbgrader put beside their submission in its exchange. It is
read from `submitted/`, where `nbgrader collect` places it.
"""

import glob
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseFeedback

from autograder.files import read_regular, replacing_bytes
from autograder.text import printable
from autograder.times import MAX_TIMESTAMP, TIMESTAMP

SECRET = "submission_secret.txt"
MAX_SECRET = 1000  # bytes; nbgrader's has 128
their_copy_files = ExchangeReleaseFeedback.copy_files


def copy_files(self: ExchangeReleaseFeedback) -> None:
    """Release the pages of those who handed in through the exchange, and name the others."""
    folders = {Path(page).parent for page in glob.glob(f"{self.src_path}/*.html")}
    without = [folder.parent.name for folder in sorted(folders) if not _completed(self, folder)]
    if without:
        self.log.warning(
            "Not released, because `submitted/` holds no %s of theirs: %s. Place what is in the "
            "exchange with `nbgrader collect %s --update`, or give their pages back in another way.",
            SECRET,
            printable(", ".join(without)),
            self.coursedir.assignment_id,
        )
    excluded = self.coursedir.student_id_exclude
    self.coursedir.student_id_exclude = ",".join(filter(None, [excluded, *without]))
    try:
        their_copy_files(self)
    finally:
        self.coursedir.student_id_exclude = excluded


def _completed(self: ExchangeReleaseFeedback, folder: Path) -> bool:
    """Whether the folder of a page now has the secret and the time by which nbgrader releases it."""
    submitted = self.coursedir.format_path(
        self.coursedir.submitted_directory, folder.parent.name, folder.name
    )
    top = Path(self.coursedir.format_path(self.coursedir.submitted_directory, ".", "."))
    try:
        for name, most in ((SECRET, MAX_SECRET), (TIMESTAMP, MAX_TIMESTAMP)):
            content = read_regular(Path(submitted) / name, most, top)
            with replacing_bytes(folder / name) as file:
                file.write(content)
    except OSError:
        return False
    return True
