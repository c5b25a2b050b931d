"""Extend nbgrader's exchange (a folder into which students write): check submissions before they
are collected, and release feedback through it, also where the user number has no name.
`configuration.py` sets these classes.

A course with another kind of exchange sets its own classes after `configure`.
"""

import glob
import logging
import os
import tempfile
from pathlib import Path
from threading import Lock
from typing import Any

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import (
    ExchangeCollect,
    ExchangeReleaseAssignment,
    ExchangeReleaseFeedback,
)
from nbgrader.exchange.default.exchange import Exchange
from traitlets.config import Config

from autograder.files.reading import read_regular
from autograder.files.timestamp import MAX_TIMESTAMP, TIMESTAMP
from autograder.files.writing import replacing_bytes
from autograder.gradebook.submitted_files import check_folder, time_in
from autograder.text.errors import CommandError
from autograder.text.printable import printable

SECRET = "submission_secret.txt"
MAX_SECRET = 1000  # bytes; nbgrader's has 128
ONE_BY_ONE = Lock()  # nbgrader makes its folders in two steps
SILENT = logging.Logger("nbgrader", logging.CRITICAL + 1)


def release_page(config: Config, assignment_id: str, student: str, page: str) -> None:
    """Release this page through the course's exchange to a student who handed in there; pages in
    `feedback/` are not touched.

    `config`: the course's. Raises `ExchangeError` or `OSError`.
    """
    with ONE_BY_ONE, tempfile.TemporaryDirectory() as top:
        with replacing_bytes(Path(top, student, assignment_id, f"{assignment_id}.html")) as file:
            file.write(page.encode(errors="backslashreplace"))
        folders = CourseDirectory(
            config=config,
            student_id=student,
            assignment_id=assignment_id,
            feedback_directory=top,
        )
        release, staff = (
            ExchangeFactory(config=config).ReleaseFeedback,
            Authenticator(config=config),
        )
        release(coursedir=folders, authenticator=staff, config=config, log=SILENT).start()


class CollectChecked(ExchangeCollect):
    """nbgrader's collector, which logs an error instead of collecting a submission that holds a
    link or a special file, is too large, or cannot be read.
    """

    def copy_files(self) -> None:
        # nbgrader's own would follow a link, and end the run where the file holds no time
        self.coursedir.get_existing_timestamp = lambda folder: time_in(folder, self.log)
        super().copy_files()

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        try:
            check_folder(Path(dest).parent.name, Path(src), Path(src).parent)
        except CommandError as error:
            self.log.error("%s", error)
        else:
            super().do_copy(src, dest, log)


class OwnerByNumber(Exchange):
    """nbgrader's exchange, which compares the owners of folders by user number. nbgrader compares
    their names, and `docker run --user` and OpenShift give user numbers without a name.
    """

    def ensure_directory(self, path: str, mode: int) -> None:
        if not os.path.isdir(path):
            super().ensure_directory(path, mode)
        elif not self.coursedir.groupshared and os.stat(path).st_uid != os.getuid():
            self.fail(f"You don't own the directory: {path}")


class ReleaseAssignment(OwnerByNumber, ExchangeReleaseAssignment):
    """Releases an assignment as nbgrader does."""


class ReleaseFeedbackBySecret(OwnerByNumber, ExchangeReleaseFeedback):
    """Releases the feedback of students who handed in through the exchange, and logs the names of
    the others.

    Students fetch a page by the secret that nbgrader stored beside their submission in the
    exchange. The secret is read from `submitted/`, where `nbgrader collect` puts it.
    """

    def copy_files(self) -> None:
        folders = {Path(page).parent for page in glob.glob(f"{self.src_path}/*.html")}
        without = [folder.parent.name for folder in sorted(folders) if not self._completed(folder)]
        if without:
            self.log.warning(
                "Not released, because `submitted/` holds no %s of theirs: %s. Place what is in the "
                "exchange with `nbgrader collect %s --update`, or give their pages back in another "
                "way.",
                SECRET,
                printable(", ".join(without)),
                self.coursedir.assignment_id,
            )
        excluded = self.coursedir.student_id_exclude
        self.coursedir.student_id_exclude = ",".join(filter(None, [excluded, *without]))
        try:
            super().copy_files()
        finally:
            self.coursedir.student_id_exclude = excluded

    def _completed(self, folder: Path) -> bool:
        """Copy the secret and the time of handing in, without which nbgrader releases no page, from
        `submitted/` into this student's folder of pages. Return whether both could be copied.
        """
        top = Path(self.coursedir.format_path(self.coursedir.submitted_directory, ".", "."))
        try:
            for name, most in ((SECRET, MAX_SECRET), (TIMESTAMP, MAX_TIMESTAMP)):
                content = read_regular(top / folder.parent.name / folder.name / name, most, top)
                with replacing_bytes(folder / name) as file:
                    file.write(content)
        except OSError:
            return False
        return True
