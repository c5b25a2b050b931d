"""Decide which of a student's submissions for an assignment counts, and say why; `late.py`
describes the settings.

`Submissions` has a student's verdicts, `which_counts` decides among them.
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
    """The submission that counts (`dated`: its verdict, and when it was handed in); a `sentence`
    for staff and the student on why, "" if it is the newest; and a `doubt` for staff if the line in
    `counts.csv` cannot be followed, else "".
    """

    dated: verdicts.DatedVerdict
    sentence: str = ""  # why, for staff and the student; "" where the newest counts
    doubt: str = ""  # for staff: why the line in `counts.csv` cannot be followed


class Submissions:
    """The submissions for an assignment: their verdicts, and when they were submitted.

    A submission is a file that `collect` received, and its time is the one in the records. Files with
    the same cells share a verdict. A verdict without a received file has the time from its grading.
    """

    def __init__(self, results: ResultsFolder, top: Path):
        """`results`: the verdicts of the assignment; `top`: the folder of all submissions."""
        self.results, self.top, self.id = results, top, results.assignment.id
        self.cache = notebooks.FileCache(results.folder)
        self._new_times: dict[tuple[str, str], StaffTime | None] = {}

    @cached_property
    def placed(self) -> dict[str, Placement]:
        """What is placed, by student or group. Raises `AutograderError` if records cannot be read."""
        return placements_of(self.top, self.id)

    @cached_property
    def _earlier(self) -> dict[str, list[tuple[str, datetime | None]]]:
        """The files that are not the newest, with their times, by student or group."""
        files = defaultdict(list)
        for student, file, when in earlier_notebooks(self.top, self.id):
            files[student].append((file, when))
        return files

    @cached_property
    def _staff_times(self) -> dict[tuple[str, str], StaffTime]:
        return staff_times_of(self.top, self.id)

    @property
    def has_staff_times(self) -> bool:
        """Whether staff gave any submission a time that is stored."""
        return bool(self._staff_times)

    def keep_staff_time(self, newest: Verdict, stored: str, when: datetime | None) -> None:
        """Remember the time that staff gave a student's newest submission, None without one: it stays
        with that submission. `stored`: the id under which its verdict is stored.
        """
        if not (when or self._staff_times):
            return
        student, file = newest.student, self._file_of(newest, stored)
        for key, row in self._staff_times.items():
            if key[0] == student and key[1] != file and not row.was_replaced:
                self._new_times[key] = StaffTime(self.id, *key, row.submitted_at, True)
        before = self._staff_times.get((student, file))
        if when and not (before and before.submitted_at == when):
            self._new_times[student, file] = StaffTime(self.id, student, file, when)
        elif before and not (when or before.was_replaced):
            self._new_times[student, file] = None

    def kept_staff_time(self, newest: Verdict, stored: str) -> datetime | None:
        """Return the time that staff gave a student's newest submission before another one replaced
        it for a while; None without one. `stored`: as for `keep_staff_time`.
        """
        row = self._staff_times.get((newest.student, self._file_of(newest, stored)))
        return row.submitted_at if row and row.was_replaced else None

    def _file_of(self, newest: Verdict, stored: str) -> str:
        """Return the hash of the file that a newest verdict is on; that of its cells if `collect` has
        not received the file. `stored`: as for `keep_staff_time`.
        """
        cells, there = newest.stamp.submission, self.placed.get(stored)
        if there is None:
            return cells
        read = partial(read_notebook, self.top)
        same = self.cache.received(self.results.assignment, there.notebook, read) == cells
        return there.notebook if same else cells

    def store(self) -> None:
        """Write what was remembered. Raises `AutograderError` or `OSError`."""
        if self._new_times:
            removed = [self._staff_times[key] for key, new in self._new_times.items() if not new]
            store_staff_times(self.top, filter(None, self._new_times.values()), removed)
        self.cache.write()

    def earlier(self, newest: Verdict, stored: str) -> Iterator[verdicts.DatedVerdict]:
        """Yield the verdicts that may count instead of the `newest`, each with the time of its file;
        practice never counts instead of a grade. `stored`: as for `keep_staff_time`.
        """
        history = verdicts.read_dated_history(self.results.results, self.id, stored)
        by_cells = {
            dated.verdict.stamp.submission: dated  # of each submission the last
            for dated in (*history, verdicts.DatedVerdict(newest, None))
            if dated.verdict.state == "graded" and not dated.verdict.is_practice
        }
        read = partial(read_notebook, self.top)
        hashes = {
            file: self.cache.received(self.results.assignment, file, read)
            for file, _ in self._earlier[stored]
        }
        dates = [(file, hashes[file], when) for file, when in self._earlier[stored]]
        dates += [
            (cells, cells, dated.submitted)
            for cells, dated in by_cells.items()
            if cells not in hashes.values() and dated.verdict is not newest
        ]
        is_newest = self.placed[stored].notebook if stored in self.placed else ""
        for file, cells, when in dates:
            if cells in by_cells:
                verdict = with_fields(by_cells[cells].verdict, student=newest.student)
                if file != is_newest:  # else the time that staff gave is that of the newest one
                    keys = (newest.student, file), (newest.student, cells)
                    given = next(filter(None, map(self._staff_times.get, keys)), None)
                    when = given.submitted_at if given else when
                yield verdicts.DatedVerdict(verdict, when)


def counted_of(
    newest: verdicts.DatedVerdict, submissions: Submissions, late: ClassLateness, stored: str
) -> Choice:
    """Return which verdict of a student counts, given the `newest` one and the `submissions`.

    An unreadable file never counts where an earlier submission was graded. Without a rule of the
    course or a line of `counts.csv`, the newest counts. `late`: the late policy, the staff's files,
    and the times of all submissions; `stored`: the id under which the student's verdicts are
    stored, the student's or a group's.
    """
    student, id, rules = newest.verdict.student, late.assignment_id, late.rules
    said = rules.counts.get((student, id))
    is_unreadable = newest.verdict.state == "unreadable"
    may_be_another = said or rules.policy.counts != NEWEST or is_unreadable
    if newest.verdict.state == "not_graded" or not may_be_another:
        return Choice(newest)
    earlier = submissions.earlier(newest.verdict, stored)
    now = datetime.now(UTC).replace(tzinfo=None)

    def order(dated: verdicts.DatedVerdict) -> tuple[bool, bool, datetime]:
        """The newest is the last, and a time that is still to come is the first."""
        when = dated.submitted or datetime.min
        return dated is newest, when <= now, when

    candidates = sorted([*([] if is_unreadable else [newest]), *earlier], key=order, reverse=True)
    if candidates in ([], [newest]) and not (candidates and said and said.when):
        return Choice(newest)
    hand_in, known = hand_in_of(student, submissions.results, late), late.hand_ins.get(student, [])
    choice = which_counts(candidates, hand_in, rules.policy, said, known)
    if is_unreadable and not choice.sentence:
        when = choice.dated.submitted
        which = f"of {texts.time_text(when, rules.policy.zone)}" if when else "before it"
        sentence = f"The newest file cannot be read. The submission {which} counts."
        return choice._replace(sentence=sentence)
    return choice


def hand_in_of(student: str, results: ResultsFolder, late: ClassLateness) -> HandIn:
    """Return the due date, the extension and the points of a student's submission, as the gradebook
    has them; before it has the submission, without a time.
    """
    id, due = late.assignment_id, late.due_dates.get(late.assignment_id)
    points = sum(cell.points for cell in results.assignment.cells)
    new = HandIn(
        id, None, due, points, late.rules.extended_until((student, id), due, None, late.granted)
    )
    known = late.hand_ins.get(student, [])
    return next((one for one in known if one.assignment == id), new)


def penalty_of(
    student: str, dated: verdicts.DatedVerdict, results: ResultsFolder, late: ClassLateness
) -> float:
    """Return the points that the student would lose if this verdict counted."""
    hand_in, known = hand_in_of(student, results, late), late.hand_ins.get(student, [])
    return _lateness(dated, hand_in, known, late.rules.policy).points


def _lateness(
    dated: verdicts.DatedVerdict,
    hand_in: HandIn,
    others: Iterable[HandIn],
    policy: LatePolicy,
    now: datetime | None = None,
) -> Lateness:
    """Return how late the student would be if this verdict counted. `others`: the student's
    submissions, of which those of other assignments may have used late days.
    """
    elsewhere = [one for one in others if one.assignment != hand_in.assignment]
    own = replace(hand_in, submitted=dated.submitted)
    return judge([own, *elsewhere], policy, now)[hand_in.assignment]


def which_counts(
    candidates: Sequence[verdicts.DatedVerdict],
    hand_in: HandIn,
    policy: LatePolicy,
    said: StaffEntry | None = None,
    others: Iterable[HandIn] = (),
    now: datetime | None = None,
) -> Choice:
    """Return which of these verdicts of one student counts; the first of `candidates` is the
    newest.

    `hand_in` gives the due date, the extension and the points of the assignment; its own time is
    not used. `said`: the student's line in `counts.csv`. `others`: the student's submissions of
    other assignments, which may have used late days. `now`: naive UTC. An earlier candidate whose
    time is unknown is never chosen; one whose time is still to come, by staff alone.
    """
    newest, *earlier = candidates
    others, now = [*others], now or datetime.now(UTC).replace(tzinfo=None)
    known = [*(one for one in earlier if one.submitted), newest]
    known.sort(key=lambda one: one.submitted or datetime.max)
    judged = [(one, _lateness(one, hand_in, others, policy, now)) for one in known]
    named = {id(one): _named(one, late, policy) for one, late in judged}
    judged = [(one, late) for one, late in judged if one is newest or not _is_to_come(one, now)]
    asked = said.when if said else None
    chosen = next((one for one in known if _is_at(one, asked)), None)
    rule = said.word if said and said.word else policy.counts
    found = chosen or _by_rule(rule, judged, newest)
    sentence = doubt = ""
    if found is not newest:
        why = "as staff chose" if chosen else WHY[rule]
        this, last = named[id(found)], named[id(newest)]
        sentence = f"The submission of {this} counts, {why}, not the newest, of {last}."
    if said and asked and not chosen:
        doubt = _not_there(said.line, texts.time_text(asked, policy.zone), named.values())
    return Choice(found, sentence, doubt)


def _by_rule(
    rule: str,
    judged: Sequence[tuple[verdicts.DatedVerdict, Lateness]],
    newest: verdicts.DatedVerdict,
) -> verdicts.DatedVerdict:
    """Return the submission that counts by `rule`: "newest"; "in time", the newest that has no day
    of lateness and a known time, or `newest` if there is none; "best", the one with the most points after its
    penalty, of equal ones the earliest.

    `judged`: the submissions that may count, with their lateness, the earliest first. `newest`: the
    newest of them.
    """
    if rule == BEST:
        return max(judged, key=lambda pair: round(pair[0].verdict.points - pair[1].points, 2))[0]
    if rule == IN_TIME:
        in_time = (one for one, late in reversed(judged) if one.submitted and not late.days)
        return next(in_time, newest)
    return newest


def _not_there(line: int, time: str, named: Iterable[str]) -> str:
    """Return the sentence that no submission was handed in at the `time` which a line of
    `counts.csv` names; `named` are the submissions there are.
    """
    return (
        f"`counts.csv`, line {line}: no submission is of {time}. "
        f"Write one of these times: {', '.join(named)}."
    )


def _is_at(candidate: verdicts.DatedVerdict, when: datetime | None) -> bool:
    """Whether a submission was handed in within the minute that begins at `when`; False if either
    time is unknown.
    """
    submitted = candidate.submitted
    return bool(when and submitted and timedelta(0) <= submitted - when < MINUTE)


def _is_to_come(candidate: verdicts.DatedVerdict, now: datetime) -> bool:
    return candidate.submitted is not None and candidate.submitted > now


def _named(candidate: verdicts.DatedVerdict, lateness: Lateness, policy: LatePolicy) -> str:
    """Return a submission's time and points, less the penalty, in words."""
    when = (
        texts.time_text(candidate.submitted, policy.zone) if candidate.submitted else "unknown time"
    )
    less = f" less {points_text(lateness.points)}" if lateness.points else ""
    return f"{when} ({points_text(candidate.verdict.points)}{less} points)"
