"""`nbgrader collect`, and formgrader's button: submissions in nbgrader's exchange are collected as
by `autograder collect`. `configuration.py` sets this class.
"""

import os
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.exchange.default import ExchangeCollect

from autograder.classroom.submitted_files import check_folder, submitted_folder, time_in
from autograder.engine import Assignment, AutograderError, courses, files, printable, texts
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.platforms.collect.archive import OF_ANOTHER, open_download
from autograder.platforms.collect.run import (
    Outcome,
    about_times,
    collecting,
    settle_run,
    write,
)
from autograder.platforms.collect.settle import WHOLE
from autograder.platforms.download import Download
from autograder.platforms.exchange import (
    INBOUND,
    PLATFORM,
    is_for_another,
    is_of_another,
    name_parts,
)
from autograder.platforms.folder import person_called

MESSAGES = {
    "new": "Collecting submission: %s %s",
    "newer": "Updating submission: %s %s",
    "older": "Another submission counts: %s %s",
    "unchanged": "No newer submission to collect: %s %s",
}


class CollectChecked(ExchangeCollect):
    """nbgrader's collector. Assignments with hidden graders are collected as by `autograder
    collect`. For other assignments, nbgrader copies the checked folders.

    Each student's newest readable submission that belongs to the student counts. Refused folders
    are logged. After all others are collected, the run ends with an error.
    """

    src_records: list[dict[str, Any]]  # the folders that nbgrader copies

    def init_src(self) -> None:
        course = courses.read_course(Path(self.coursedir.root))
        assignment = Assignment(self.coursedir.assignment_id, course)
        self.assignment = assignment if assignment.has_graders else None
        self.others = {*courses.assignments(course)} - {assignment.id}
        self.is_refused: dict[str, bool] = {}  # by folder name; each folder is checked once
        self.has_refused = False
        if self.assignment is None:
            super().init_src()
            records = self.src_records
            self.src_records = [
                record for record in records if not self._is_refused(record["filename"])
            ]
            return
        if not self.coursedir.course_id:
            self.fail("No course id specified. Re-run with --course flag.")
        self.inbound_path = os.path.join(self.root, self.coursedir.course_id, "inbound")
        if not os.access(self.inbound_path, os.R_OK | os.X_OK):
            self.fail(f"There is no folder {self.inbound_path}, or it cannot be read.")

    def copy_files(self) -> None:
        if self.assignment is None:
            # nbgrader's own function would follow links, and end the run if the file contains no time
            self.coursedir.get_existing_timestamp = lambda folder: time_in(folder, self.log)
            super().copy_files()
        else:
            try:
                with files.only_for(group=self.assignment.course.is_shared):
                    self._collect(self.assignment)
            except (AutograderError, OSError) as error:
                self.fail(str(error))
        if self.has_refused:
            self.fail("Not everything was collected: see above.")

    def _sort_by_timestamp(self, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Sort the records like nbgrader, but with refused folders last."""
        newest_first = super()._sort_by_timestamp(records)
        return sorted(newest_first, key=lambda record: self._is_refused(record["filename"]))

    def _is_refused(self, name: str) -> bool:
        """Whether nbgrader must not copy this folder. The reason is logged once."""
        if name not in self.is_refused:
            folder, self.is_refused[name] = Path(self.inbound_path, name), False
            try:
                if self.check_owner and is_of_another((name, ""), folder.lstat().st_uid):
                    raise AutograderError(f"`{printable(name)}` {OF_ANOTHER}.")
                check_folder(name, folder, folder.parent)
            except (AutograderError, OSError) as error:
                self.is_refused[name] = self.has_refused = True
                self.log.error("%s", error)
        return self.is_refused[name]

    def _collect(self, assignment: Assignment) -> None:
        """Record the submissions and write the notebooks to grade, as `autograder collect` does."""
        self.into = submitted_folder(self.coursedir)
        download = self._wanted(open_download(Path(self.inbound_path)))
        if not download.files and not download.refused:
            message = "No submissions of '%s' for course '%s' to collect%s"
            hint = "" if self.update else "; --update also takes newer ones of who has one"
            self.log.warning(message, assignment.id, self.coursedir.course_id, hint)
            return
        with collecting(assignment, self.into) as run:
            run.row.command = f"nbgrader collect {assignment.id}"
            if self.update and self.coursedir.student_id in ("", "*") and not self.before_duedate:
                run.row.command += WHOLE
            for part, submission in run.sort([download], PLATFORM):
                run.receive(part, submission)
            outcome = settle_run(run)
            notes, blocked, table = write(run, outcome)
        self._log(outcome, assignment.id)
        time_notes = about_times(assignment.course, outcome, course_zone(assignment.course))
        for note in (*time_notes, *outcome.notes, *notes):
            self.log.warning("%s", note)
        for sentence in (*outcome.unmatched, *blocked):
            self.has_refused = True
            self.log.error("%s", sentence)
        if table is not None:
            self.log.warning(
                "What is unmatched is listed in `%s`: fill in `student`, then collect it with "
                "`python -m autograder collect --resolve %s --assignment %s`.",
                table,
                table.name,
                assignment.id,
            )

    def _log(self, outcome: Outcome, assignment_id: str) -> None:
        for result in outcome.results:
            self.log.info(MESSAGES[result.outcome], result.owner, assignment_id)
            if result.remark and result.outcome != "unchanged":
                self.log.warning("%s: %s.", result.owner, result.remark)

    def _wanted(self, download: Download) -> Download:
        """Return the part of a download that nbgrader's options select."""
        readable = {file.parts[0] for file in download.files}
        late = self._late_ones(readable) if self.before_duedate else set()

        def is_wanted(path: str) -> bool:
            folder = path.partition("/")[0]
            return folder not in late and self._is_asked_for(folder)

        files = [file for file in download.files if is_wanted(file.path)]
        return replace(
            download,
            files=files,
            refused=[
                refused_file for refused_file in download.refused if is_wanted(refused_file.path)
            ],
            empty=tuple(parts for parts in download.empty if is_wanted("/".join(parts))),
        )

    def _is_asked_for(self, folder: str) -> bool:
        """Whether nbgrader's options select a folder: this assignment, this student, and, without
        `--update`, nothing collected yet. If all students are selected, folders with other names
        are too, so that they are reported.
        """
        id, parts = self.coursedir.assignment_id, name_parts(folder)
        if is_for_another(folder, id, self.others):
            return False
        if parts is None or parts["assignment"] != id:
            return self.coursedir.student_id in ("", "*")
        if self.coursedir.student_id not in ("", "*", parts["user"]):
            return False
        student = person_called(parts["user"], PLATFORM).student
        assignment_folder = self.into / student / self.coursedir.assignment_id
        return self.update or self.before_duedate or not assignment_folder.is_dir()

    def _late_ones(self, folders: set[str]) -> set[str]:
        """Return late folders of students who also have a folder in time."""
        url, course_id = self.coursedir.db_url, self.coursedir.course_id
        due = None
        with suppress(MissingEntry), Gradebook(url, course_id) as gradebook:
            due = gradebook.find_assignment(self.coursedir.assignment_id).duedate
        if due is None:
            return set()
        names = filter(None, map(INBOUND.fullmatch, filter(self._is_asked_for, folders)))
        submitted = [
            (match.group(), match["user"], texts.parse_time(match["time"])) for match in names
        ]
        end = due.replace(tzinfo=UTC)
        in_time = {user for _, user, time in submitted if time and time <= end}
        return {match for match, user, time in submitted if time and time > end and user in in_time}
