"""Bring a course's gradebook up to date with the verdict files. Only what differs is entered, in
batches.

This may run at any time, any number of times. Points and comments given by hand are kept.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path

from msgspec.structs import replace
from nbgrader.converters.base import NbGraderException
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from autograder.classroom.groups import Groups, Worth
from autograder.classroom.late_files import BEST, NEWEST, submitted_at
from autograder.classroom.records.received import was_collected
from autograder.classroom.roster import Person
from autograder.engine import (
    AutograderError,
    ResultsFolder,
    Verdict,
    courses,
    files,
    name_some,
    plural,
    texts,
    verdicts,
)
from autograder.gradebook.lateness.counting import (
    Choice,
    Submissions,
    counted_of,
    hand_in_of,
    penalty_of,
)
from autograder.gradebook.lateness.late import ClassLateness, LateRules, Penalty
from autograder.gradebook.lateness.late_notes import notes_on_times
from autograder.gradebook.sync.answers import answer_in
from autograder.gradebook.sync.database import is_locked
from autograder.gradebook.sync.entering import GROUP, write_penalties
from autograder.gradebook.sync.group_marks import (
    AnswerMarks,
    free_moved_marks,
    owners_of_marks,
    share_marks,
    with_own_marks,
)
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.nbgrader_course import (
    CellsRefused,
    NbgraderCourse,
    Record,
    may_be_entered,
)
from autograder.gradebook.sync.notebooks import repaired_notebook
from autograder.gradebook.sync.tables import lateness_in, marks_in
from autograder.gradebook.table import write_table

BATCH = 25
MOST_ROUNDS = 10  # of choices that depend on each other
LONGEST_ERROR = 300  # characters
AGAIN = "grade again to enter them."
NOTHING_KEPT = "what its cells said is not kept beside it: grade again with --regrade"


class GradebookSync:
    """Enters the verdicts of one assignment into a course's gradebook; that on a group's submission
    for each of its members, and for the group, which has no penalty.
    """

    def __init__(
        self,
        course: NbgraderCourse,
        results: ResultsFolder,
        top: Path,
        folders: dict[str, Path],
        people: dict[str, Person] | None = None,
        only: str | None = None,
    ):
        """`results`: the verdicts of the assignment; `top`: the folder of all submissions, below
        which no link is followed; `folders`: each student's or group's submission folder; `people`:
        names and addresses from the platform, by student; `only`: the one student or group to enter,
        None for all.

        Raises `AutograderError` if the late policy's settings or files cannot be used.
        """
        self.course = course
        self.results = results
        self.assignment = results.assignment
        self.top = top  # below it no link is followed
        self.folders = folders  # of the submissions, by student
        self.people = people or {}  # by student
        self.only = only
        self.rules = LateRules(course.config, course.root, top)
        self.rules.groups.of(self.assignment.id)  # else its errors come after grading
        self.submissions = Submissions(results, top)
        self.stored: dict[str, str] = {}  # the ids of the verdicts that count, by member of a group
        self.decided: set[str] = set()  # members with several verdicts
        self.count = 0  # verdicts that were entered
        self.unchanged = 0  # verdicts that were in the gradebook already
        self.without_points: list[Verdict] = []  # unreadable or not graded
        self.unreadable: set[str] = set()  # students of whom nothing could be read
        self.notes: list[str] = []  # sentences about what else there is to know
        self.waiting: set[str] = set()  # students whose verdicts could not be entered now
        self.error = ""  # why
        self.remedy = AGAIN  # what to do about it, after "All verdicts are kept in the results; "
        self.refused: dict[str, str] = {}  # why a verdict cannot be entered, by student
        self.others: dict[str, str] = {}  # what counts and is not the newest, by student
        self.by_platform: dict[str, datetime | None] = {}  # when it was handed in, by student
        self.enters_penalties = True  # else what counts in other assignments stays as well
        self.is_elsewhere = False  # another assignment is entered, and this one may depend on it
        self.due_dates: Mapping[str, datetime | None] | None = None  # not read, or not to be read

    def enter(self) -> list[str]:
        """Enter the verdicts that differ from the gradebook, and write into the results which
        students' counting submission is not the newest. Return a sentence for each failure.

        If the gradebook is locked or gone, the students whose verdicts could not be entered are
        afterwards in `waiting`. Raises `OSError` if a file cannot be written.
        """
        self.by_platform, self.waiting, self.refused, self.others = {}, set(), {}, {}
        self.unchanged, self.without_points, self.unreadable = 0, [], set()
        try:
            self._share_marks()  # which of a member's groups counts depends on marks
            syncs = [self, *self._elsewhere()]
            for sync in syncs:
                sync._begin()
            if syncs[1:]:
                _settle(syncs)
        except SQLAlchemyError as error:
            self.error = texts.first_line(error, LONGEST_ERROR)
            self.waiting = {one.student for one in self._verdicts() if one.state == "graded"}
            return self._troubles()
        return [trouble for sync in syncs for trouble in sync._enter_differing()]

    def _elsewhere(self) -> Iterator["GradebookSync"]:
        """Yield the other assignments that have verdicts, if late days are shared and what counts
        depends on them: of those already entered, what counts may be another submission now.
        """
        rules, folder = self.rules, self.results.results
        chosen = {rules.policy.counts, *(line.word for line in rules.counts.values())}
        if not rules.policy.late_days or not (BEST in chosen or rules.groups):
            return
        if not self.enters_penalties:
            return
        for other in courses.every(self.assignment.course):
            results = ResultsFolder(folder, other)
            ids = {
                file.stem: self.top / file.stem / other.id
                for file in verdicts.verdict_files(results.folder)
            }
            folders = {
                id: path for id, path in ids.items() if files.kind_of(path, self.top) == "folder"
            }
            if ids and other.id != self.assignment.id:
                sync = GradebookSync(self.course, results, self.top, folders, only=self._only)
                sync.is_elsewhere = True
                yield sync

    def _begin(self) -> None:
        """Read the gradebook, and forget what an earlier `enter` has read. Raises `SQLAlchemyError`."""
        self.submissions = Submissions(self.results, self.top)
        self.checked: set[str] = set()  # students whose choice was looked at
        self._answers_of: dict[str, set[tuple[str, str]]] = {}  # exercises and digests
        self.marks, self.late = self._read()
        self.given = None  # without groups, no choice depends on marks
        if self.groups:
            with self.course.gradebook() as gradebook:
                self.given = AnswerMarks(gradebook.db, self.assignment.id)

    def _enter_differing(self) -> list[str]:
        """Do what `enter` does, for this assignment."""
        todo = self._differing()
        while batch := list(islice(todo, BATCH)):
            self._enter(batch)
        self._withdraw()
        self._share_marks(has=self._has)
        self.submissions.store()
        others = self.others
        if self.only is not None or self.is_elsewhere:
            known = verdicts.read_counted(self.results.results, self.assignment.id)
            others |= {who: one for who, one in known.items() if who not in self.checked}
        verdicts.write_counted(self.results.results, self.assignment.id, others)
        if self.is_elsewhere and self.checked:
            write_table(self.results.results, self.assignment)
        return self._troubles()

    def may_count_earlier(self, id: str) -> bool:
        """Whether another submission of a student or group than the newest may count."""
        lines = [(one, self.assignment.id) for one in (id, *self.groups.members(id))]
        newest = self.results.verdict(id)
        return (
            self.rules.policy.counts != NEWEST
            or any(line in self.rules.counts for line in lines)
            or (newest is not None and newest.state == "unreadable")
        )

    def penalties(self) -> dict[str, Penalty]:
        """Return each student's penalty by the late policy and the one in the gradebook, by
        student; only students who have a folder and marks in the gradebook. Nothing is written.

        {} if the gradebook cannot be read: the reason is then added to `notes`. {} also while
        verdicts wait to be entered.
        """
        if self.waiting:
            return {}
        try:
            marks, late = self._read()
        except SQLAlchemyError as error:
            why = texts.first_line(error, LONGEST_ERROR)
            self.notes.append(f"Nobody's lateness can be read ({why}). Grade again for that.")
            return {}
        self.due_dates = late.due_dates
        return {
            student: Penalty(late.judged[student], marks[student].penalty)
            for student in self._people()
            if student in marks
        }

    def notes_on_times(self, penalties: dict[str, Penalty], by_word: Collection[str]) -> list[str]:
        """Return sentences for staff on doubtful times and due dates that these penalties depend
        on.

        `penalties`: by student, as `penalties()` returns them; `by_word`: the students of whom the
        platform only says whether they are late, without a time.
        """
        for student in self._people():
            self._submitted(student)
        known = {one.id for one in courses.every(self.assignment.course)}
        id = self.assignment.id
        times, due = dict.fromkeys(self.folders) | self.by_platform, self.due_dates
        return list(notes_on_times(self.rules, id, penalties, times, by_word, known, due))

    def penalties_elsewhere(self) -> dict[str, dict[str, Penalty]]:
        """Return the penalties of other assignments that differ from the gradebook's, by assignment
        and student: late days are shared, so that this assignment may have used or freed some.
        """
        if not self.rules.policy.late_days or self.waiting:
            return {}
        found = {}
        with self.course.gradebook() as gradebook:
            for other in {one.name for one in gradebook.assignments} - {self.assignment.id}:
                marks = marks_in(gradebook.db, other, self._only)
                late = lateness_in(gradebook.db, self.rules, other, self._only)
                students = marks.keys() - self.rules.groups.of(other).by_id.keys()
                each = {who: Penalty(late.judged[who], marks[who].penalty) for who in students}
                found[other] = {who: one for who, one in each.items() if not one.is_right}
        return {other: changed for other, changed in sorted(found.items()) if changed}

    def enter_penalties(self, assignment_id: str, penalties: Mapping[str, Penalty]) -> list[str]:
        """Write those of these penalties (by student) of an assignment that differ from the
        gradebook's. Return a list with one sentence if that fails, else [].
        """
        wrong = {who: one.lateness for who, one in penalties.items() if not one.is_right}
        try:
            with self.course.gradebook() as gradebook:
                write_penalties(gradebook.db, assignment_id, wrong)
        except Exception as error:
            why = texts.first_line(error, LONGEST_ERROR)
            return [f"The gradebook did not take the penalties ({why}). Grade again to enter them."]
        return []

    def _read(self) -> tuple[dict[str, StudentMarks], ClassLateness]:
        """Return each student's marks and the class's lateness, read from the gradebook. Raises
        `SQLAlchemyError`.
        """
        with self.course.gradebook() as gradebook:
            marks = marks_in(gradebook.db, self.assignment.id, self._only)
            return marks, lateness_in(gradebook.db, self.rules, self.assignment.id, self._only)

    @property
    def _only(self) -> str | None:
        """The one student to read, None for all: of groups, a choice may depend on the mates."""
        return None if self.rules.groups else self.only

    @property
    def groups(self) -> Groups:
        """The groups of the assignment."""
        return self.rules.groups.of(self.assignment.id)

    def _person(self, id: str) -> Person | None:
        """Return what is known of a student, or the name of a group; None if nothing is."""
        is_group = id in self.groups.by_id
        return Person(id, f"{GROUP} {self.groups.names[id]}") if is_group else self.people.get(id)

    def _people(self) -> list[str]:
        """Return the students who have handed in, alone or with a group."""
        return [student for id in self.folders for student in self.groups.members(id)]

    def _verdicts(self, worth: Worth | None = None) -> Iterator[Verdict]:
        """Yield the newest verdict of each student (of `only`, if it is given), read from its file.
        `worth`: which of several counts for a member of groups.
        """
        files = verdicts.verdict_files(self.results.folder)
        if not self.groups:
            files = [file for file in files if self.only in (None, file.stem)]
        newest = filter(None, (self.results.verdict(file.stem) for file in files))
        if not self.groups:
            yield from newest
            return
        newest_verdicts = [*newest]
        shared, notes = self.groups.share(newest_verdicts, worth)
        for note in (*self.groups.notes, *notes):
            self._note(note)
        shared |= {one.student: one for one in newest_verdicts if one.student in self.groups.by_id}
        for student, verdict in shared.items():
            self.stored[student] = verdict.student
            yield replace(verdict, student=student)

    def choices(self) -> Iterator[tuple[Verdict, Choice]]:
        """Yield the newest verdict of each student, and the choice of the one that counts."""
        for newest in self._verdicts(self._final):
            stored = self.stored.get(newest.student, newest.student)
            dated = verdicts.DatedVerdict(newest, self._submitted(newest.student))
            yield newest, counted_of(dated, self.submissions, self.late, stored)

    def _differing(self) -> Iterator[Record]:
        """Yield a record to enter for each verdict that counts and differs from the gradebook.

        A student whose cell outputs were not kept is added to `refused` instead. Also fills `others`,
        `unreadable` and `notes`.
        """
        known = verdicts.read_counted(self.results.results, self.assignment.id)
        for newest, (counts, why, doubt) in self.choices():
            student, verdict, submitted = newest.student, counts.verdict, counts.submitted
            stored = self.stored.get(student, student)
            is_other = verdict is not newest or student in self.decided
            is_same = known.get(student) == (verdict.stamp.submission if is_other else None)
            if self.only not in (None, student, stored):
                continue
            if self.is_elsewhere and (is_same or student not in self.marks):
                continue
            self.checked.add(student)
            line = self.rules.times.get((student, self.assignment.id))
            self.submissions.keep_staff_time(newest, stored, line.when if line else None)
            for words in filter(None, (why, doubt)):
                self._note(f"{student}: {words}")
            if is_other:
                self.others[student] = verdict.stamp.submission
            if verdict.state != "graded":
                self.without_points.append(verdict)
            if verdict.state == "unreadable":
                self.unreadable.add(student)
            owners = {stored} if self.groups else {stored, ""}  # "": by an earlier version
            if self.course.agrees_with(verdict, self.marks.get(student), submitted, why, owners):
                self.unchanged += may_be_entered(verdict)
                continue
            answers = self.results.answers(replace(verdict, student=stored))
            if answers is None:
                self.refused[student] = NOTHING_KEPT
                continue
            had = verdicts.read_history(self.results.results, self.assignment.id, stored)
            yield Record(
                verdicts.with_gone_mistakes(verdict, had),
                answers.submission,
                answers.outputs,
                submitted,
                self._person(student),
                why,
                stored,
            )

    def _withdraw(self) -> None:
        """Remove students without a submission from the gradebook: `collect` took it back, or gave
        it to another student. Students with a mark of their own stay, and are noted. Without
        records of `collect`, nobody is removed.
        """
        id = self.assignment.id
        if (
            self.only is not None
            or self.is_elsewhere
            or self.waiting
            or not was_collected(self.top, id)
        ):
            return
        groups, placed = self.groups, self.submissions.placed
        with_verdict = {file.stem for file in verdicts.verdict_files(self.results.folder)}
        ids = {*self.folders, *placed, *with_verdict}
        there = {who for one in ids for who in (one, *groups.members(one))} - self.unreadable
        with self.course.gradebook() as gradebook:
            gone = marks_in(gradebook.db, id).keys() - there
            marked = with_own_marks(gradebook.db, id, gone) if gone else set()
        senders = {
            row.sender
            for group, row in placed.items()
            if row.sender and group in groups.by_id and row.sender not in groups.members(group)
        }
        out = sorted(gone - marked - senders)
        if out:
            self.course.withdraw(id, out)
        about = {
            "Without a submission, and out of the gradebook: {}.": out,
            "Without a submission, and with marks by hand in the gradebook: {}. Empty the marks in "
            "formgrader and grade again to take them out.": sorted(marked - senders),
            "In another group than the one for which they submitted: {}. Collect again, and what they "
            "sent goes along.": sorted(senders & gone),
        }
        for sentence, students in about.items():
            if students:
                self._note(sentence.format(name_some(students)))

    def _final(self, student: str, newest: Verdict) -> tuple[bool, float]:
        """Return whether a verdict of a member of groups is graded, and the points that it gives in
        the end: with the marks for its answers, and the penalty.
        """
        self.decided.add(student)
        stored = newest.student
        dated = verdicts.DatedVerdict(
            replace(newest, student=student), self._submitted(student, stored)
        )
        counts = counted_of(dated, self.submissions, self.late, stored).dated
        points = counts.verdict.points
        answers = self.results.answers(replace(counts.verdict, student=stored))
        if self.given and answers:
            ids = [stored, student, *self.groups.in_no_other(stored)]
            notebook = repaired_notebook(self.assignment, answers.submission)
            points += self.given.added(ids, counts.verdict, notebook)
        points -= penalty_of(student, counts, self.results, self.late)
        return counts.verdict.state == "graded", max(0.0, points)

    def _has(self, owner: str, exercise: str, digest: str) -> bool:
        """Whether a submission of a student or group, the newest or an earlier one, has the answer
        with this digest.
        """
        if owner not in self._answers_of:
            newest = self.results.verdict(owner)
            earlier = self.submissions.earlier(newest, owner) if newest else ()
            theirs = [newest, *(dated.verdict for dated in earlier)] if newest else []
            kept = filter(None, map(self.results.answers, theirs))
            notebooks = (repaired_notebook(self.assignment, one.submission) for one in kept)
            self._answers_of[owner] = {
                (cell.id, answer_in(cell).digest) for one in notebooks for cell in one.cells
            }
        return (exercise, digest) in self._answers_of[owner]

    def _enter(self, records: list[Record]) -> None:
        """Enter these records in one batch. If that fails, enter them one by one, so that one
        failing record does not stop the others. Students who fail are added to `refused` or, if the
        failure is one of the whole gradebook, to `waiting`; nothing is raised.
        """
        try:
            self.course.enter(self.assignment, records)
            self.count += len(records)
        except Exception as error:
            why = texts.first_line(error, LONGEST_ERROR)
            if isinstance(error, CellsRefused):
                why, self.remedy = "its cells are others", f"to enter them: {error}"
            elif isinstance(error, NbGraderException):
                why, self.remedy = f"nbgrader: {why.rstrip('.')}", f"mend that, and {AGAIN}"
            students = [record.verdict.student for record in records]
            if _is_of_all(error):
                self.error = why
                self.waiting.update(students)
            elif len(records) > 1:
                for record in records:
                    self._enter([record])
            else:
                self.refused.update(dict.fromkeys(students, why))

    def _share_marks(self, has: Callable[[str, str, str], bool] | None = None) -> None:
        """Give marks by hand of one member to the others, and note where they differ. `has`: as for
        `free_moved_marks`, None if what is in the gradebook is not entered anew yet.
        """
        if self.waiting:
            return
        with self.course.gradebook() as gradebook:
            if not (self.groups or owners_of_marks(gradebook.db) - {"", *self.folders}):
                return
            if has:
                free_moved_marks(gradebook.db, self.assignment.id, has)
            for sentence in share_marks(gradebook.db, self.assignment.id, self.groups):
                self._note(sentence)

    def _troubles(self) -> list[str]:
        """Return a sentence for each verdict that was refused, and one for all that wait for the
        gradebook.
        """
        failed = [
            (f"the verdict on {student}", why, AGAIN) for student, why in self.refused.items()
        ]
        if self.waiting:
            failed.append((plural(len(self.waiting), "verdict"), self.error, self.remedy))
        return [
            f"The gradebook did not take {what} ({why}). All verdicts are kept in the results; {remedy}"
            for what, why, remedy in failed
        ]

    def _submitted(self, student: str, stored: str = "") -> datetime | None:
        """Return when the student's newest submission was handed in (naive UTC): the time in
        `late.csv`, else the one that it had there before another submission replaced it for a while,
        else the platform's; None if unknown. `stored`: the id of another group of the student's,
        whose submission is meant.

        The platform's time is read once, from the submission's folder or, if that folder is gone,
        from the results.
        """
        id = stored or self.stored.get(student) or self.groups.of(student) or student
        if stored:
            when = self._time_of(stored)
        else:
            if student not in self.by_platform:
                self.by_platform[student] = self._time_of(id)
            when = self.by_platform[student]
        if self.submissions.has_staff_times and (newest := self.results.verdict(id)):
            kept = self.submissions.kept_staff_time(replace(newest, student=student), id)
            when = kept or when
        return self.rules.submitted((student, self.assignment.id), when)

    def _time_of(self, id: str) -> datetime | None:
        """Return the platform's time of the newest submission of a student or a group; None if it
        is unknown, after adding a sentence to `notes` if it cannot be read.
        """
        try:
            if folder := self.folders.get(id):
                return submitted_at(folder, self.top)
            if verdict := self.results.verdict(id):
                return self.results.submitted(verdict)
        except AutograderError as error:
            self._note(f"{error} Taken as handed in without a time.")
        return None

    def _note(self, sentence: str) -> None:
        """Add the sentence to `notes`, unless it is there already."""
        if sentence not in self.notes:
            self.notes.append(sentence)


def _settle(syncs: list[GradebookSync]) -> None:
    """Give all assignments of a course the times of the submissions that count. Late days are shared,
    so each choice depends on the others: from unknown times on, all are made again until none changes.
    """
    syncs = sorted(
        syncs,
        key=lambda one: (
            one.late.due_dates.get(one.assignment.id) or datetime.max,
            one.assignment.id,
        ),
    )
    ids = [sync.assignment.id for sync in syncs]
    hand_ins = {
        student: [
            dataclasses.replace(one, submitted=None) if one.assignment in ids else one
            for one in those
        ]
        for student, those in {**syncs[0].late.hand_ins}.items()
    }
    for sync in syncs:
        sync.late = dataclasses.replace(sync.late, hand_ins=hand_ins)
    for _ in range(MOST_ROUNDS):
        before = dict(hand_ins)
        for sync in syncs:
            for newest, choice in sync.choices():
                if may_be_entered(choice.dated.verdict):
                    student = newest.student
                    own = hand_in_of(student, sync.results, sync.late)
                    own = dataclasses.replace(own, submitted=choice.dated.submitted)
                    others = [
                        one for one in hand_ins.get(student, []) if one.assignment != own.assignment
                    ]
                    hand_ins[student] = sorted([*others, own], key=lambda one: one.assignment)
        if hand_ins == before:
            return


def _is_of_all(error: Exception) -> bool:
    """Whether this error would occur for every student: the gradebook is locked, or nbgrader
    refuses the course.
    """
    if isinstance(error, OperationalError):
        return is_locked(error)
    return isinstance(error, NbGraderException)
