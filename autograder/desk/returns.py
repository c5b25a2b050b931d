"""Send feedback automatically while a class submits, through nbgrader's exchange or git. Each
attempt is recorded.

Students get the results of the checks on their own submission, at most four times an hour, without
points by hand, comments and penalties. Until the student's deadline has passed, feedback on answers
that are values only says whether they are filled in.
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

MOST, PERIOD = 4, timedelta(hours=1)  # at most so many attempts per student in this time
APART = timedelta(minutes=5)  # at least, between two attempts
AT_ONCE = 16
HASH_DIGITS = 12


def check(repositories: Path | None) -> None:
    """Raise `AutograderError` if no table in this folder names a repository."""
    if repositories:
        addresses(repositories)


def begin(watch: Watch, course: NbgraderCourse, repositories: Path | None) -> "Returns":
    """Return the sender of feedback on the submissions that `watch` grades. `repositories`: the
    folder with tables of repositories, None for nbgrader's exchange. Raises `AutograderError`,
    `OSError`.
    """
    return Returns(watch, course, addresses(repositories) if repositories else {})


@stored_in("returned_feedback", earlier=".returned.jsonl")
class Return(Struct, frozen=True):
    """An attempt to send feedback."""

    to: str  # a student, or the address of a repository
    student: str
    submission: str  # as `_version` returns it
    at: datetime


class Returns:
    """Sends feedback on the submissions that a watch has graded."""

    def __init__(
        self,
        watch: Watch,
        course: NbgraderCourse,
        addresses: Mapping[str, str],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ):
        """`addresses`: of repositories, by the name of each clone's folder. Raises `OSError` if the
        records of earlier attempts cannot be read.
        """
        self.watch, self.course, self.addresses, self.now = watch, course, addresses, now
        self.results = watch.run.results
        self.id = self.results.assignment.id
        self.values = courses.value_exercises(self.results.assignment)
        self.attempts = read_records(self.results.results, self.id, Return)
        self.sent = {attempt.student: attempt.submission for attempt in self.attempts}
        self.sent_to = {attempt.to: attempt.submission for attempt in self.attempts}

    def send(self) -> None:
        """Send the feedback that is due, at most 16 texts, and report each result. Raises `OSError`
        if it cannot be recorded.
        """
        now = self.now()
        self.attempts = [attempt for attempt in self.attempts if now - attempt.at < PERIOD]
        batch = [*islice(self._due(now), AT_ONCE)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            failures = pool.map(lambda due: _failure(*due[1:]), batch)
            for (attempt, *_), failure in zip(batch, failures, strict=True):
                if failure and STAYS not in failure:
                    self.watch.tell(f"{attempt.student}: feedback did not go back yet ({failure}).")
                    continue
                # a page that stays is not an attempt: the next feedback need not wait for it
                recorded = replace_fields(attempt, at=attempt.at - PERIOD) if failure else attempt
                add_records(self.results.results, self.id, [recorded])
                self.attempts = [
                    earlier for earlier in self.attempts if not failure or earlier is not attempt
                ]
                self.sent[attempt.student] = self.sent_to[attempt.to] = attempt.submission
                self.watch.tell(f"{attempt.student}: {STAYS if failure else 'feedback went back'}.")

    def _due(self, now: datetime) -> Iterator[tuple[Return, Callable[[Grade], None], Grade]]:
        """Yield (attempt, function that sends, grade) for feedback that may be sent now."""
        submissions, sent = self.watch.run.seen.seen, self.sent
        graded = {
            student: self._version(student) for student in self.watch.arrivals & submissions.keys()
        }
        todo = sorted(
            student for student, version in graded.items() if version != sent.get(student)
        )
        received = newest_files(self.watch.place, self.id, PLATFORM) if todo else {}
        for student in todo:
            folders = received[student].path.split("/")[1:-1] if student in received else []
            to, send = self._way(student, (folders or [""])[0])
            if not to or self.sent_to.get(to) == graded[student]:
                sent[student] = graded[student]
                if not to:
                    self.watch.tell(f"{student}: feedback has no way back by itself.")
            elif self._may_go(to, now) and (grade := self._grade(student, now)):
                attempt = Return(to, student, graded[student], now)
                self.attempts.append(attempt)
                yield attempt, send, grade

    def _may_go(self, to: str, now: datetime) -> bool:
        ages = [now - attempt.at for attempt in self.attempts if attempt.to == to]
        return len(ages) < MOST and all(age >= APART for age in ages)

    def _version(self, student: str) -> str:
        """Return a hash that distinguishes the student's graded submissions."""
        submission, secret = self.watch.run.seen.seen[student].submission, self._secret(student)
        # the same answers submitted again have a new secret, and so a page of their own
        return files.digest_of(submission, secret) if secret else submission

    def _secret(self, student: str) -> str:
        """Return the secret of the student's page in the exchange, or ""."""
        file, top = self.watch.arrivals[student].notebook.parent / files.SECRET, self.watch.run.top
        with suppress(OSError):
            return files.read_regular(file, files.MAX_SECRET, top).decode("latin-1")
        return ""

    def _way(self, student: str, folder: str) -> tuple[str, Callable[[Grade], None]]:
        """Return the address for the student's feedback and the function that sends it: through the
        exchange if the submission came from there, else to the repository cloned into `folder`. The
        address is "" if there is neither.
        """
        config, id = self.course.config, self.id
        if self._secret(student):
            return student, lambda grade: release_page(config, id, student, own_page(grade))
        to = self.addresses.get(folder, "")
        return to, lambda grade: push_text(to, f"{id}.md", "\n".join(markdown_parts(grade)))

    def _grade(self, student: str, now: datetime) -> Grade | None:
        """Return the part of the verdict that the student may see now, with a note that names the
        file. Return None if the file has changed and waits for another verdict.
        """
        run, notebook = self.watch.run, self.watch.arrivals[student].notebook
        verdict = self.results.verdict(student)
        try:
            file = run.seen.file(student, notebook, run.top)
        except Unreadable:
            return None
        if not verdict or verdict.stamp.submission != file.submission:
            return None
        submitted_at = texts.parse_time(files.read_timestamp(notebook.parent, run.top))
        handed_in = (
            f", handed in on {texts.time_text(submitted_at, zone_of(self.course.config))}"
            if submitted_at
            else ""
        )
        name = printable(notebook.name).replace("`", "")
        about = f"About `{name}`{handed_in}, with the SHA-256 hash `{file.digest[:HASH_DIGITS]}…`."
        shown_verdict, note = without_values(
            verdict, () if self._is_over(student, now) else self.values
        )
        return Grade(Person(student), shown_verdict, notes=tuple(filter(None, (about, note))))

    def _is_over(self, student: str, now: datetime) -> bool:
        """Whether the student's deadline (due date or extension, and grace) has passed. False if
        the gradebook has no due date or no such student, or cannot be read now.
        """
        submitted = now.astimezone(UTC).replace(tzinfo=None)
        with suppress(AutograderError, SQLAlchemyError), self.course.gradebook() as gradebook:
            rules = LateRules(self.course.config, self.course.root)  # staff may change its files
            late = lateness_in(gradebook.db, rules, self.id, student)
            hand_ins = [
                hand_in
                for hand_in in late.hand_ins.get(student, [])
                if hand_in.assignment == self.id
            ]
            return any(
                rules.policy.days_late(replace(hand_in, submitted=submitted))
                for hand_in in hand_ins
            )
        return False


def _failure(send: Callable[[Grade], None], grade: Grade) -> str:
    """Send a grade. Return the reason for a failure, or ""."""
    try:
        send(grade)
    except Exception as error:  # any failure of an exchange or git must not stop other students'
        return printable(grading.describe_error(error))
    return ""
