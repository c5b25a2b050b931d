"""Choose the submission that counts for each student, and explain the choice.

`late.py` describes the settings. `Submissions` reads a student's verdicts, `which_counts` chooses
among them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace as with_fields

from autograder.classroom.late_files import BEST, IN_TIME, NEWEST, StaffEntry
from autograder.classroom.records.received import (
    Placement,
    StaffTime,
    earlier_notebooks,
    placements_of,
    read_notebook,
    staff_times_of,
    store_staff_times,
)
from autograder.engine import ResultsFolder, Verdict, notebooks, points_text, texts, verdicts
from autograder.gradebook.lateness.late import ClassLateness, Lateness, judge
from autograder.gradebook.lateness.late_policy import HandIn, LatePolicy

MINUTE = timedelta(minutes=1)  # staff need not write seconds
WHY = {IN_TIME: "the last in time", BEST: "the best after what being late costs"}


class Choice(NamedTuple):
    """The submission that counts: its verdict and its time of submission."""

    dated: verdicts.DatedVerdict
    sentence: str = ""  # the reason, for staff and the student. "" if the newest counts
    doubt: str = ""  # for staff: the reason why a line of `counts.csv` has no effect


class Submissions:
    """The submissions for an assignment, with their verdicts and times.

    A submission is a file received by `collect`, with the time from the records. Files with the
    same cells share a verdict. A verdict without a received file has the time from its grading.
    """

    def __init__(self, results: ResultsFolder, top: Path):
        """`results`: verdicts of the assignment. `top`: the folder of all submissions."""
        self.results, self.top, self.id = results, top, results.assignment.id
        self.cache = notebooks.FileCache(results.folder)
        self._new_times: dict[tuple[str, str], StaffTime | None] = {}

    @cached_property
    def placed(self) -> dict[str, Placement]:
        """Submissions by student or group. Raises `AutograderError` for unreadable records."""
        return placements_of(self.top, self.id)

    @cached_property
    def _earlier(self) -> dict[str, list[tuple[str, datetime | None]]]:
        """Files other than the newest, with their times, by student or group."""
        files = defaultdict(list)
        for student, file, submitted in earlier_notebooks(self.top, self.id):
            files[student].append((file, submitted))
        return files

    @cached_property
    def _staff_times(self) -> dict[tuple[str, str], StaffTime]:
        return staff_times_of(self.top, self.id)

    @property
    def has_staff_times(self) -> bool:
        return bool(self._staff_times)

    def keep_staff_time(self, newest: Verdict, stored: str, staff_time: datetime | None) -> None:
        """Remember the time that staff gave a student's newest submission (None for no time). It
        stays with that submission. `stored`: the id under which its verdict is stored.
        """
        if not (staff_time or self._staff_times):
            return
        student, file = newest.student, self._file_of(newest, stored)
        for key, row in self._staff_times.items():
            if key[0] == student and key[1] != file and not row.was_replaced:
                self._new_times[key] = StaffTime(self.id, *key, row.submitted_at, True)
        previous = self._staff_times.get((student, file))
        if staff_time and not (previous and previous.submitted_at == staff_time):
            self._new_times[student, file] = StaffTime(self.id, student, file, staff_time)
        elif previous and not (staff_time or previous.was_replaced):
            self._new_times[student, file] = None

    def kept_staff_time(self, newest: Verdict, stored: str) -> datetime | None:
        """Return the time that staff gave this submission before a replacement, or None."""
        row = self._staff_times.get((newest.student, self._file_of(newest, stored)))
        return row.submitted_at if row and row.was_replaced else None

    def _file_of(self, newest: Verdict, stored: str) -> str:
        """Return the hash of a verdict's file, or of its cells if the file was not received."""
        cells, placement = newest.stamp.submission, self.placed.get(stored)
        if placement is None:
            return cells
        read = partial(read_notebook, self.top)
        same = self.cache.received(self.results.assignment, placement.notebook, read) == cells
        return placement.notebook if same else cells

    def store(self) -> None:
        """Write remembered times. Raises `AutograderError` or `OSError`."""
        if self._new_times:
            removed = [self._staff_times[key] for key, row in self._new_times.items() if not row]
            store_staff_times(self.top, filter(None, self._new_times.values()), removed)
        self.cache.write()

    def earlier(self, newest: Verdict, stored: str) -> Iterator[verdicts.DatedVerdict]:
        """Yield the verdicts that may count instead of the `newest`, each with the time of its
        file. Practice never counts instead of a grade. `stored`: as for `keep_staff_time`.
        """
        history = verdicts.read_dated_history(self.results.results, self.id, stored)
        by_cells = {
            dated.verdict.stamp.submission: dated  # the last verdict of each submission
            for dated in (*history, verdicts.DatedVerdict(newest, None))
            if dated.verdict.state == "graded" and not dated.verdict.is_practice
        }
        read = partial(read_notebook, self.top)
        hashes = {
            file: self.cache.received(self.results.assignment, file, read)
            for file, _ in self._earlier[stored]
        }
        dates = [(file, hashes[file], submitted) for file, submitted in self._earlier[stored]]
        dates += [
            (cells, cells, dated.submitted)
            for cells, dated in by_cells.items()
            if cells not in hashes.values() and dated.verdict is not newest
        ]
        is_newest = self.placed[stored].notebook if stored in self.placed else ""
        for file, cells, submitted in dates:
            if cells in by_cells:
                verdict = with_fields(by_cells[cells].verdict, student=newest.student)
                # the stored time of the newest file belongs to the newest verdict
                if file != is_newest:
                    keys = (newest.student, file), (newest.student, cells)
                    staff_time = next(filter(None, map(self._staff_times.get, keys)), None)
                    submitted = staff_time.submitted_at if staff_time else submitted
                yield verdicts.DatedVerdict(verdict, submitted)


def counted_of(
    newest: verdicts.DatedVerdict, submissions: Submissions, late: ClassLateness, stored: str
) -> Choice:
    """Return the verdict of a student that counts, given the `newest` verdict and the
    `submissions`.

    An unreadable file never counts if an earlier submission was graded. Without a rule of the
    course or a line of `counts.csv`, the newest counts. `late`: late policy, staff's files, and
    times of all submissions. `stored`: the id under which the verdicts are stored, the student's
    or a group's.
    """
    student, id, rules = newest.verdict.student, late.assignment_id, late.rules
    entry = rules.counts.get((student, id))
    is_unreadable = newest.verdict.state == "unreadable"
    may_be_another = entry or rules.policy.counts != NEWEST or is_unreadable
    if newest.verdict.state == "not_graded" or not may_be_another:
        return Choice(newest)
    earlier = submissions.earlier(newest.verdict, stored)
    now = datetime.now(UTC).replace(tzinfo=None)

    def order(dated: verdicts.DatedVerdict) -> tuple[bool, bool, datetime]:
        """Sort the newest last, and times in the future first."""
        submitted = dated.submitted or datetime.min
        return dated is newest, submitted <= now, submitted

    candidates = sorted([*([] if is_unreadable else [newest]), *earlier], key=order, reverse=True)
    if candidates in ([], [newest]) and not (candidates and entry and entry.when):
        return Choice(newest)
    hand_in, hand_ins = (
        hand_in_of(student, submissions.results, late),
        late.hand_ins.get(student, []),
    )
    choice = which_counts(candidates, hand_in, rules.policy, entry, hand_ins)
    if is_unreadable and not choice.sentence:
        submitted = choice.dated.submitted
        submission = (
            f"of {texts.time_text(submitted, rules.policy.zone)}" if submitted else "before it"
        )
        sentence = f"The newest file cannot be read. The submission {submission} counts."
        return choice._replace(sentence=sentence)
    return choice


def hand_in_of(student: str, results: ResultsFolder, late: ClassLateness) -> HandIn:
    """Return due date, extension and points of a submission, without a time if it is new."""
    id, due = late.assignment_id, late.due_dates.get(late.assignment_id)
    points = sum(cell.points for cell in results.assignment.cells)
    without_time = HandIn(
        id, None, due, points, late.rules.extended_until((student, id), due, None, late.granted)
    )
    hand_ins = late.hand_ins.get(student, [])
    return next((hand_in for hand_in in hand_ins if hand_in.assignment == id), without_time)


def penalty_of(
    student: str, dated: verdicts.DatedVerdict, results: ResultsFolder, late: ClassLateness
) -> float:
    """Return the penalty in points if this verdict counted."""
    hand_in, hand_ins = hand_in_of(student, results, late), late.hand_ins.get(student, [])
    return _lateness(dated, hand_in, hand_ins, late.rules.policy).points


def _lateness(
    dated: verdicts.DatedVerdict,
    hand_in: HandIn,
    hand_ins: Iterable[HandIn],
    policy: LatePolicy,
    now: datetime | None = None,
) -> Lateness:
    """Return the student's lateness if this verdict counted. `hand_ins` share the late days."""
    elsewhere = [
        submission for submission in hand_ins if submission.assignment != hand_in.assignment
    ]
    own = replace(hand_in, submitted=dated.submitted)
    return judge([own, *elsewhere], policy, now)[hand_in.assignment]


def which_counts(
    candidates: Sequence[verdicts.DatedVerdict],
    hand_in: HandIn,
    policy: LatePolicy,
    entry: StaffEntry | None = None,
    other_hand_ins: Iterable[HandIn] = (),
    now: datetime | None = None,
) -> Choice:
    """Return the verdict of a student that counts. The first of `candidates` is the newest.

    An earlier candidate without a time is never chosen. A time in the future can only be chosen
    by staff. `hand_in` gives the due date, the extension and the points. Its own time
    is ignored. `entry`: the student's line in `counts.csv`. `other_hand_ins`: submissions of other
    assignments, which may have used late days. `now`: naive UTC.
    """
    newest, *earlier = candidates
    other_hand_ins, now = [*other_hand_ins], now or datetime.now(UTC).replace(tzinfo=None)
    by_time = [*(candidate for candidate in earlier if candidate.submitted), newest]
    by_time.sort(key=lambda candidate: candidate.submitted or datetime.max)
    judged = [
        (candidate, _lateness(candidate, hand_in, other_hand_ins, policy, now))
        for candidate in by_time
    ]
    descriptions = {id(candidate): _named(candidate, late, policy) for candidate, late in judged}
    judged = [
        (candidate, late)
        for candidate, late in judged
        if candidate is newest or not _is_to_come(candidate, now)
    ]
    requested = entry.when if entry else None
    chosen = next((candidate for candidate in by_time if _is_at(candidate, requested)), None)
    rule = entry.word if entry and entry.word else policy.counts
    counted = chosen or _by_rule(rule, judged, newest)
    sentence = doubt = ""
    if counted is not newest:
        reason = "as staff chose" if chosen else WHY[rule]
        counted_text, newest_text = descriptions[id(counted)], descriptions[id(newest)]
        sentence = (
            f"The submission of {counted_text} counts, {reason}, not the newest, of {newest_text}."
        )
    if entry and requested and not chosen:
        doubt = _not_there(
            entry.line, texts.time_text(requested, policy.zone), descriptions.values()
        )
    return Choice(counted, sentence, doubt)


def _by_rule(
    rule: str,
    judged: Sequence[tuple[verdicts.DatedVerdict, Lateness]],
    newest: verdicts.DatedVerdict,
) -> verdicts.DatedVerdict:
    """Return the submission that counts by `rule`. `judged`: with lateness, the earliest first.

    "in time" is the newest that is not a day late and has a time, else `newest`. "best" has the
    most points after its penalty, and is the earliest of equals.
    """
    if rule == BEST:
        return max(judged, key=lambda pair: round(pair[0].verdict.points - pair[1].points, 2))[0]
    if rule == IN_TIME:
        in_time = (dated for dated, late in reversed(judged) if dated.submitted and not late.days)
        return next(in_time, newest)
    return newest


def _not_there(line: int, time: str, descriptions: Iterable[str]) -> str:
    """Return a sentence on a line of `counts.csv` with a time of no submission."""
    return (
        f"`counts.csv`, line {line}: no submission is of {time}. "
        f"Write one of these times: {', '.join(descriptions)}."
    )


def _is_at(candidate: verdicts.DatedVerdict, time: datetime | None) -> bool:
    """Whether a submission was handed in within the minute that begins at `time`."""
    submitted = candidate.submitted
    return bool(time and submitted and timedelta(0) <= submitted - time < MINUTE)


def _is_to_come(candidate: verdicts.DatedVerdict, now: datetime) -> bool:
    return candidate.submitted is not None and candidate.submitted > now


def _named(candidate: verdicts.DatedVerdict, lateness: Lateness, policy: LatePolicy) -> str:
    time = (
        texts.time_text(candidate.submitted, policy.zone) if candidate.submitted else "unknown time"
    )
    less = f" less {points_text(lateness.points)}" if lateness.points else ""
    return f"{time} ({points_text(candidate.verdict.points)}{less} points)"
