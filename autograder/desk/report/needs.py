"""Find what needs attention from staff in a class: how many submissions or students, why, and what
to do.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.classroom.blocks.verdict_blocks import STATES, title
from autograder.desk.look_alikes.file import AlikePair
from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.words import percent, points, points_lost
from autograder.engine import Pattern, Verdict, plural

FEW = 0.5  # of the points, and less
MOST_EXERCISES, MOST_SIGNS = 3, 5  # that are told of a pair
FILE_NAME = Pattern(r"`[^`]*\.ipynb`")
Said = Iterable[tuple[str, str]]  # a sentence, and the student of whom it is said


@dataclass(frozen=True)
class Group:
    """A sentence on something that needs attention, and the ids of the students to whom it applies."""

    sentence: str
    students: list[str]


@dataclass(frozen=True)
class Need:
    """Something that needs attention, such as unreadable submissions: how many there are (`count`),
    `what` they are, what to do, and the students concerned, in `groups` of those with the same
    sentence.
    """

    count: int
    what: str
    to_do: str
    groups: list[Group]


class Needs:
    """Finds what needs attention in a class. With `names` False, no sentence tells who a student
    is.
    """

    def __init__(self, results: ClassResults, names: bool):
        self.results, self.names = results, names

    def all(self) -> Iterator[Need]:
        """Yield a `Need` of every kind, also of kinds that apply to nobody."""
        yield self._damaged()
        yield from self._submissions()
        yield from self._students()
        yield self._late()
        yield self._notes()
        yield from self._alike()

    def _submissions(self) -> Iterator[Need]:
        """Yield the needs on submissions: those that are practice, not graded, unreadable, not
        placed, missing, or of students who are not in the roster.
        """
        results = self.results
        practice = [verdict.student for verdict in results.practice]
        yield _need("of practice", "Graded without a sandbox: not grades.", _of(practice))
        yield self._of_state("not_graded", "A fault of ours or of the machine: run `grade` again.")
        yield self._of_state("unreadable", "Ask for another file.")
        to_do = "Of no grade until `collect --resolve` places them."
        yield Need(results.unmatched, "unmatched", to_do, [Group("", sorted(results.senders))])
        known = "Of those whom the roster or another assignment knows."
        yield _need("not handed in", known, _of(results.missing))
        yield _need("not in the roster", "They have handed in.", _of(results.not_in_roster))

    def _students(self) -> Iterator[Need]:
        """Yield the needs on students: with answers to be marked by hand, with few points, or with
        code that did not run.
        """
        results, most = self.results, self.results.max_points
        waiting = {who: count for who, count in (results.waiting or {}).items() if count}
        answers = f"{plural(sum(waiting.values()), 'written answer')} in all."
        yield _need("to be marked by hand", answers, _of(waiting))
        yield self._inquiries()
        few = [one.student for one in results.graded if one.points < FEW * one.max_points]
        fewer = f"Fewer than {points(FEW * most)} of {points(most)}."
        yield _need("with less than half of the points", fewer, _of(few))
        for state, said in STATES.items():
            if said:
                that = "" if state == "not_attempted" else "that "
                yield _need(f"with an exercise {that}{said}", "", self._stopped(state))

    def _damaged(self) -> Need:
        """Return the need on files that are no valid verdicts. Without `names` they are only
        counted, since their names contain students' ids.
        """
        damaged = self.results.damaged
        groups = [Group(sentence, []) for sentence in damaged if self.names]
        return Need(
            len(damaged), "damaged", "Verdicts that cannot be used; `report` says which.", groups
        )

    def _of_state(self, state: str, to_do: str) -> Need:
        verdicts = [one for one in self.results.verdicts if one.state == state]
        said = [
            (self._said(one.reason or "No reason is known.", one), one.student) for one in verdicts
        ]
        return _need(state.replace("_", " "), to_do, said)

    def _stopped(self, state: str) -> Said:
        """Yield, for each graded student who has exercises in this state, such as "timed_out": the
        titles of these exercises ("every exercise" if all are in it), and the student.
        """
        for verdict in self.results.graded:
            ids = [result.id for result in verdict.exercises if result.state == state]
            if ids:
                every = len(ids) == len(verdict.exercises) > 1
                yield "every exercise" if every else ", ".join(map(title, ids)), verdict.student

    def _inquiries(self) -> Need:
        waiting = [one for one in self.results.inquiries if one.answer is None]
        count = plural(len(waiting), "inquiry", "inquiries")
        return _need(
            "with an open inquiry",
            f"{count} in all: `inquiries list` says who decides.",
            [(title(one.exercise), one.student) for one in waiting],
        )

    def _late(self) -> Need:
        late = {who: one for who, one in sorted(self.results.late.items()) if one.sentence}
        takes = f"That takes {points_lost(sum(one.points for one in late.values()))} in all."
        said = [(one.sentence if self.names else "", who) for who, one in late.items()]
        return _need("late", takes, said)

    def _notes(self) -> Need:
        every = self.results.verdicts
        notes = [(self._said(note, one), one.student) for one in every for note in one.notes]
        return _need(
            "with notes for staff", "No student sees them; no point depends on them.", notes
        )

    def _alike(self) -> Iterator[Need]:
        alike = self.results.alike
        if alike is None:
            return
        same = [Group("", group) for group in alike.identical]
        count = sum(len(group) for group in alike.identical)
        yield Need(count, "identical to others", "All their answers are the same.", same)
        look = "For people to look at, and never a proof: a share says nothing by itself."
        if alike.pages:
            look += f" Side by side: `{alike.pages}` beside the verdicts."
        students = {student for pair in alike.pairs for student in pair.students}
        groups = [Group(self._pair(one), list(one.students)) for one in alike.pairs]
        yield Need(len(students), "in pairs that look alike", look, groups)

    def _pair(self, pair: AlikePair) -> str:
        shared = sorted((one for one in pair.exercises if one.share), key=lambda one: -one.share)
        exercises = ", ".join(
            f"`{one.id}` ({percent(one.share)})" for one in shared[:MOST_EXERCISES]
        )
        where = f"; most of it in {exercises}" if exercises else ""
        common = f"{percent(pair.share)} in common; honest pairs reach {percent(pair.by_chance)}"
        signs = pair.signs[:MOST_SIGNS] if self.names else []
        return " ".join([f"{common}{where}.", *signs])

    def _said(self, sentence: str, verdict: Verdict) -> str:
        """Return a sentence on a submission; without `names`, the student's id and name and the
        file's name are masked in it.
        """
        if self.names:
            return sentence
        telling = [verdict.student, self.results.names.get(verdict.student, "")]
        who = "|".join(re.escape(word) for word in telling if word)
        return re.sub(
            rf"(?<!\w)(?:{who})(?!\w)",
            "…",
            FILE_NAME.sub(lambda _: "`….ipynb`", sentence),
            flags=re.IGNORECASE,
        )


def _of(students: Iterable[str]) -> Said:
    return [("", student) for student in students]


def _need(what: str, to_do: str, said: Said) -> Need:
    """Return a need with the students grouped by sentence, the largest group first. `what` names
    the need, `to_do` says what to do.

    `said` has pairs of sentence and student; each student is counted once.
    """
    by_sentence: dict[str, list[str]] = {}
    for sentence, student in said:
        by_sentence.setdefault(sentence, []).append(student)
    groups = sorted(by_sentence.items(), key=lambda one: -len(one[1]))
    students = {student for _, some in groups for student in some}
    return Need(len(students), what, to_do, [Group(*one) for one in groups])
