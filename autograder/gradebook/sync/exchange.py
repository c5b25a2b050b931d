"""Release assignments and feedback through nbgrader's exchange (a folder into which students
write), also if the user number has no name. `configuration.py` sets these classes.

A course with another kind of exchange sets its own classes after `configure`.
"""

import glob
import logging
import os
import tempfile
from pathlib import Path, PurePosixPath
from threading import Lock

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import (
    ExchangeReleaseAssignment,
    ExchangeReleaseFeedback,
)
from nbgrader.exchange.default.exchange import Exchange
from nbgrader.utils import notebook_hash
from sqlalchemy import select
from traitlets.config import Config

from autograder.classroom.records.database import read_rows
from autograder.classroom.records.received import Placement, Submission
from autograder.classroom.submitted_files import chosen_notebook, submitted_folder
from autograder.engine import files, printable

STAYS = "a page with marks was released, and stays"
# the first bytes of a page with marks contain FULL_PAGE
FULL_PAGE, HEAD = b'"grade" content="', 4 << 10
READABLE = 0o644  # students fetch pages by name, and cannot list the folder
ONE_BY_ONE = Lock()  # nbgrader makes its folders in two steps
SILENT = logging.Logger("nbgrader", logging.CRITICAL + 1)


def release_page(config: Config, assignment_id: str, student: str, page: str) -> None:
    """Release this page through the course's exchange to a student who submitted there. Pages in
    `feedback/`, and an already released page with marks on the same submission, stay.

    `config`: the course's. Raises `ExchangeError` or `OSError`.
    """
    with ONE_BY_ONE, tempfile.TemporaryDirectory() as top:
        with files.replacing_bytes(
            Path(top, student, assignment_id, f"{assignment_id}.html")
        ) as file:
            file.write(page.encode(errors="backslashreplace"))
        folders = CourseDirectory(
            config=config,
            student_id=student,
            assignment_id=assignment_id,
            feedback_directory=top,
        )
        kind, staff = ExchangeFactory(config=config).ReleaseFeedback, Authenticator(config=config)
        release = kind(coursedir=folders, authenticator=staff, config=config, log=SILENT)
        release.replaces_full_pages = False
        release.start()


class OwnerByNumber(Exchange):
    """nbgrader's exchange, with owners of folders compared by user number. nbgrader compares their
    names, but `docker run --user` and OpenShift give user numbers without a name.
    """

    def ensure_directory(self, path: str, mode: int) -> None:
        if not os.path.isdir(path):
            super().ensure_directory(path, mode)
        elif not self.coursedir.groupshared and os.stat(path).st_uid != os.getuid():
            self.fail(f"You don't own the directory: {path}")


class ReleaseAssignment(OwnerByNumber, ExchangeReleaseAssignment):
    """Releases an assignment as nbgrader does."""


class ReleaseFeedbackBySecret(OwnerByNumber, ExchangeReleaseFeedback):
    """Releases the feedback of students who submitted through the exchange, and logs the names of
    all other students.

    Students fetch a page by the secret that nbgrader stored beside their submission in the
    exchange, and by the name of their notebook. The secret is read from `submitted/`, where
    `collect` puts it.
    """

    replaces_full_pages = True

    def copy_files(self) -> None:
        excluded, without_secret = self.coursedir.student_id_exclude.split(","), []
        for folder in sorted({Path(page).parent for page in glob.glob(f"{self.src_path}/*.html")}):
            student = folder.parent.name
            if student in excluded:
                continue
            secret = self._secret(student)
            if not secret:
                without_secret.append(student)
                continue
            pages = {page.stem: page for page in folder.glob("*.html")}
            if len(pages) == 1:
                pages |= {self._name_of_notebook(student): page for page in pages.values()}
            for name, page in pages.items():
                self._release(page, notebook_hash(secret=secret, notebook_id=name))
            self.log.info("Releasing feedback for student '%s'", student)
        if without_secret:
            self.log.warning(
                "Not released, because `submitted/` holds no %s of theirs: %s. Who has submitted through "
                "the exchange gets the page after `nbgrader collect %s --update`; who has submitted "
                "nothing, or in another way, gets it in another way.",
                files.SECRET,
                printable(", ".join(without_secret)),
                self.coursedir.assignment_id,
            )

    def _release(self, page: Path, name: str) -> None:
        """Copy a page into the exchange. Raises `ExchangeError` if a page with marks must stay."""
        released = Path(self.dest_path, f"{name}.html")
        if not self.replaces_full_pages and released.is_file():
            with released.open("rb") as file:
                if FULL_PAGE in file.read(HEAD):
                    self.fail(STAYS)
        with files.replacing_bytes(released) as file:
            file.write(page.read_bytes())
        released.chmod(READABLE | 0o020 * self.coursedir.groupshared)

    def _secret(self, student: str) -> str:
        """Return the secret of the student's submission, "" if it cannot be read."""
        top = submitted_folder(self.coursedir)
        path = top / student / self.coursedir.assignment_id / files.SECRET
        try:
            return files.read_regular(path, files.MAX_SECRET, top).decode()
        except (OSError, UnicodeError):
            return ""

    def _name_of_notebook(self, student: str) -> str:
        """Return the student's name of the notebook, without the extension."""
        id, top = self.coursedir.assignment_id, submitted_folder(self.coursedir)
        placed = select(Submission.notebook_file).join(Placement)
        query = placed.where(Placement.assignment == id, Placement.student == student)
        for (path,) in read_rows(top, query):
            return PurePosixPath(path).stem
        return chosen_notebook(top / student / id, id, top).stem
