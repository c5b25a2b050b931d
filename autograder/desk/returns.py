"""Feedback that goes back by itself while a class hands in, through nbgrader's exchange or git. Each
text that went back is a record.

Each student is told what the checks say of their own submission, at most four times an hour. Points
by hand, comments and penalties are not in it. Of answers that are values it says only whether they
are filled, until the student's deadline has passed.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace as replace_fields
from sqlalchemy.exc import SQLAlchemyError

from autograder.classroom.blocks.verdict_blocks import without_values
from autograder.classroom.newest_files import newest_files
from autograder.classroom.records import add_records, read_records, stored_in
from autograder.classroom.roster import Person
from autograder.classroom.watch import Watch
from autograder.engine import AutograderError, Unreadable, courses, files, grading, printable, texts
from autograder.gradebook.grades import Grade
from autograder.gradebook.lateness.late import LateRules
from autograder.gradebook.lateness.late_policy import zone_of
from autograder.gradebook.pages.of_grade import markdown_parts, own_page
from autograder.gradebook.sync.exchange import STAYS, release_page
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.gradebook.sync.tables import lateness_in
from autograder.platforms.git import PLATFORM, addresses
from autograder.platforms.git_fetch import push_text

MOST, PERIOD = 4, timedelta(hours=1)  # attempts for one student, and in which time
APART = timedelta(minutes=5)  # between two attempts
AT_ONCE = 16
HASH_DIGITS = 12


def check(repositories: Path | None) -> None:
    """Raise `AutograderError` if no table in this folder names a repository; None needs none."""
    if repositories:
        addresses(repositories)


def begin(watch: Watch, course: NbgraderCourse, repositories: Path | None) -> "Returns":
    """Return what sends feedback on the submissions that `watch` grades. `repositories`: the folder
    whose tables name repositories, None for nbgrader's exchange. Raises `AutograderError`, `OSError`.
    """
    return Returns(watch, course, addresses(repositories) if repositories else {})


@stored_in("returned_feedback", earlier=".returned.jsonl")
class Return(Struct, frozen=True):
    """An attempt to send feedback: where to, whose submission it is about, which one, and when."""

    to: str  # a student, or the address of a repository
    student: str
    submission: str  # as `_version` returns it
    at: datetime


class Returns:
    """Sends feedback on what a watch has graded."""

    def __init__(
        self,
        watch: Watch,
        course: NbgraderCourse,
        addresses: Mapping[str, str],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ):
        """`addresses`: those of repositories, by the name of the folder of each clone. Raises
        `OSError` if what went back before cannot be read.
        """
        self.watch, self.course, self.addresses, self.now = watch, course, addresses, now
        self.results = watch.run.results
        self.id = self.results.assignment.id
        self.values = courses.value_exercises(self.results.assignment)
        self.attempts = read_records(self.results.results, self.id, Return)
        self.sent = {one.student: one.submission for one in self.attempts}
        self.sent_to = {one.to: one.submission for one in self.attempts}

    def send(self) -> None:
        """Send what may go now, at most 16 texts, and tell what went and what failed.

        Raises `OSError` if it cannot be recorded.
        """
        now = self.now()
        self.attempts = [one for one in self.attempts if now - one.at < PERIOD]
        batch = [*islice(self._due(now), AT_ONCE)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            failures = pool.map(lambda one: _failure(*one[1:]), batch)
            for (one, *_), why in zip(batch, failures, strict=True):
                if why and STAYS not in why:
                    self.watch.tell(f"{one.student}: feedback did not go back yet ({why}).")
                    continue
                # a page that stays is no attempt: what comes next need not wait
                attempt = replace_fields(one, at=one.at - PERIOD) if why else one
                add_records(self.results.results, self.id, [attempt])
                self.attempts = [other for other in self.attempts if not why or other is not one]
                self.sent[one.student] = self.sent_to[one.to] = one.submission
                self.watch.tell(f"{one.student}: {STAYS if why else 'feedback went back'}.")

    def _due(self, now: datetime) -> Iterator[tuple[Return, Callable[[Grade], None], Grade]]:
        """Yield what may be sent now, with the function that sends it, and note each attempt."""
        seen, sent = self.watch.run.seen.seen, self.sent
        graded = {student: self._version(student) for student in self.watch.arrivals & seen.keys()}
        todo = sorted(student for student, one in graded.items() if one != sent.get(student))
        received = newest_files(self.watch.place, self.id, PLATFORM) if todo else {}
        for student in todo:
            folders = received[student].path.split("/")[1:-1] if student in received else []
            to, send = self._way(student, (folders or [""])[0])
            if not to or self.sent_to.get(to) == graded[student]:
                sent[student] = graded[student]
                if not to:
                    self.watch.tell(f"{student}: feedback has no way back by itself.")
            elif self._may_go(to, now) and (grade := self._grade(student, now)):
                one = Return(to, student, graded[student], now)
                self.attempts.append(one)
                yield one, send, grade

    def _may_go(self, to: str, now: datetime) -> bool:
        ages = [now - one.at for one in self.attempts if one.to == to]
        return len(ages) < MOST and all(age >= APART for age in ages)

    def _version(self, student: str) -> str:
        """Return what tells a graded submission from others of the student: its hash, and with it
        the exchange's secret, as the same answers handed in again have a page of their own there.
        """
        submission, secret = self.watch.run.seen.seen[student].submission, self._secret(student)
        return files.digest_of(submission, secret) if secret else submission

    def _secret(self, student: str) -> str:
        """Return the secret by which the student fetches a page about what was collected from the
        exchange; "" if there is none.
        """
        file, top = self.watch.arrivals[student].notebook.parent / files.SECRET, self.watch.run.top
        with suppress(OSError):
            return files.read_regular(file, files.MAX_SECRET, top).decode("latin-1")
        return ""

    def _way(self, student: str, folder: str) -> tuple[str, Callable[[Grade], None]]:
        """Return where feedback for the student goes, and the function that sends it: through the
        exchange, if the submission was collected there, else to the repository whose clone is in the
        folder of this name; "" if there is neither.
        """
        config, id = self.course.config, self.id
        if self._secret(student):
            return student, lambda grade: release_page(config, id, student, own_page(grade))
        to = self.addresses.get(folder, "")
        return to, lambda grade: push_text(to, f"{id}.md", "\n".join(markdown_parts(grade)))

    def _grade(self, student: str, now: datetime) -> Grade | None:
        """Return what the student may see of the verdict now, with a sentence on the file that it is
        about; None if the file is another one now, whose verdict is to come.
        """
        run, notebook = self.watch.run, self.watch.arrivals[student].notebook
        verdict = self.results.verdict(student)
        try:
            file = run.seen.file(student, notebook, run.top)
        except Unreadable:
            return None
        if not verdict or verdict.stamp.submission != file.submission:
            return None
        when = texts.parse_time(files.read_timestamp(notebook.parent, run.top))
        handed_in = (
            f", handed in on {texts.time_text(when, zone_of(self.course.config))}" if when else ""
        )
        name = printable(notebook.name).replace("`", "")
        about = f"About `{name}`{handed_in}, with the SHA-256 hash `{file.digest[:HASH_DIGITS]}…`."
        shown, said = without_values(verdict, () if self._is_over(student, now) else self.values)
        return Grade(Person(student), shown, notes=tuple(filter(None, (about, said))))

    def _is_over(self, student: str, now: datetime) -> bool:
        """Whether the student's deadline (due date or extension, and grace) has passed; False if the
        gradebook has no due date or nothing of the student, or if that cannot be read now.
        """
        submitted = now.astimezone(UTC).replace(tzinfo=None)
        with suppress(AutograderError, SQLAlchemyError), self.course.gradebook() as gradebook:
            rules = LateRules(self.course.config, self.course.root)  # staff may change its files
            late = lateness_in(gradebook.db, rules, self.id, student)
            found = [one for one in late.hand_ins.get(student, []) if one.assignment == self.id]
            return any(rules.policy.days_late(replace(one, submitted=submitted)) for one in found)
        return False


def _failure(send: Callable[[Grade], None], grade: Grade) -> str:
    """Send a grade; return "", or why that failed."""
    try:
        send(grade)
    except Exception as error:  # whatever an exchange or git comes to: another student's may go
        return printable(grading.describe_error(error))
    return ""
