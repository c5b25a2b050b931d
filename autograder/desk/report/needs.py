"""Find the submissions and students that need attention from staff, the reasons and next steps."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.classroom.blocks.verdict_blocks import STATES, title
from autograder.desk.look_alikes.file import AlikePair
from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.words import percent, points, points_lost
from autograder.engine import Pattern, Verdict, plural

FEW = 0.5  # share of the points below which a student needs help
MOST_EXERCISES, MOST_SIGNS = 3, 5  # shown for a pair
FILE_NAME = Pattern(r"`[^`]*\.ipynb`")
Said = Iterable[tuple[str, str]]  # a sentence, and the student that it is about


@dataclass(frozen=True)
class Group:
    """A sentence on a need, and the ids of the students to whom it applies."""

    sentence: str
    students: list[str]


@dataclass(frozen=True)
class Need:
    """A need for attention, such as unreadable submissions."""

    count: int
    what: str  # such as "unreadable"
    to_do: str
    groups: list[Group]  # students with the same sentence


class Needs:
    """Finds the needs of a class. Without `names`, no sentence identifies a student."""

    def __init__(self, results: ClassResults, names: bool):
        self.results, self.names = results, names

    def all(self) -> Iterator[Need]:
        """Yield a `Need` of every kind, even if it applies to nobody."""
        yield self._damaged()
        yield from self._submissions()
        yield from self._students()
        yield self._late()
        yield self._notes()
        yield from self._alike()

    def _submissions(self) -> Iterator[Need]:
        """Yield the needs on submissions: practice, not graded, unreadable, unmatched, missing."""
        results = self.results
        practice = [verdict.student for verdict in results.practice]
        yield _need("of practice", "Graded without a sandbox: not grades.", _of(practice))
        yield self._of_state("not_graded", "A fault of ours or of the machine: run `grade` again.")
        yield self._of_state("unreadable", "Ask for another file.")
        to_do = "Of no grade until `collect --resolve` places them."
        yield Need(results.unmatched, "unmatched", to_do, [Group("", sorted(results.senders))])
        roster_text = "Of those whom the roster or another assignment knows."
        yield _need("not handed in", roster_text, _of(results.missing))
        yield _need("not in the roster", "They have handed in.", _of(results.not_in_roster))

    def _students(self) -> Iterator[Need]:
        """Yield the needs on students: open answers, few points, code that did not run."""
        results, max_points = self.results, self.results.max_points
        waiting = {student: count for student, count in (results.waiting or {}).items() if count}
        answers = f"{plural(sum(waiting.values()), 'written answer')} in all."
        yield _need("to be marked by hand", answers, _of(waiting))
        yield self._inquiries()
        weak_students = [
            verdict.student
            for verdict in results.graded
            if verdict.points < FEW * verdict.max_points
        ]
        limit_text = f"Fewer than {points(FEW * max_points)} of {points(max_points)}."
        yield _need("with less than half of the points", limit_text, _of(weak_students))
        for state, words in STATES.items():
            if words:
                prefix = "" if state == "not_attempted" else "that "
                yield _need(f"with an exercise {prefix}{words}", "", self._stopped(state))

    def _damaged(self) -> Need:
        """Return the need on invalid verdict files. Without `names` they are only counted, because
        file names contain students' ids.
        """
        damaged = self.results.damaged
        groups = [Group(sentence, []) for sentence in damaged if self.names]
        return Need(
            len(damaged), "damaged", "Verdicts that cannot be used; `report` says which.", groups
        )

    def _of_state(self, state: str, to_do: str) -> Need:
        verdicts = [verdict for verdict in self.results.verdicts if verdict.state == state]
        reasons = [
            (self._said(verdict.reason or "No reason is known.", verdict), verdict.student)
            for verdict in verdicts
        ]
        return _need(state.replace("_", " "), to_do, reasons)

    def _stopped(self, state: str) -> Said:
        """Yield, for each student with exercises in this state, their titles and the student."""
        for verdict in self.results.graded:
            ids = [result.id for result in verdict.exercises if result.state == state]
            if ids:
                is_every = len(ids) == len(verdict.exercises) > 1
                yield "every exercise" if is_every else ", ".join(map(title, ids)), verdict.student

    def _inquiries(self) -> Need:
        waiting = [inquiry for inquiry in self.results.inquiries if inquiry.answer is None]
        count = plural(len(waiting), "inquiry", "inquiries")
        return _need(
            "with an open inquiry",
            f"{count} in all: `inquiries list` says who decides.",
            [(title(inquiry.exercise), inquiry.student) for inquiry in waiting],
        )

    def _late(self) -> Need:
        late = {
            student: penalty
            for student, penalty in sorted(self.results.late.items())
            if penalty.sentence
        }
        takes = (
            f"That takes {points_lost(sum(penalty.points for penalty in late.values()))} in all."
        )
        sentences = [
            (penalty.sentence if self.names else "", student) for student, penalty in late.items()
        ]
        return _need("late", takes, sentences)

    def _notes(self) -> Need:
        all_verdicts = self.results.verdicts
        notes = [
            (self._said(note, verdict), verdict.student)
            for verdict in all_verdicts
            for note in verdict.notes
        ]
        return _need(
            "with notes for staff", "No student sees them; no point depends on them.", notes
        )

    def _alike(self) -> Iterator[Need]:
        alike = self.results.alike
        if alike is None:
            return
        identical = [Group("", group) for group in alike.identical]
        count = sum(len(group) for group in alike.identical)
        yield Need(count, "identical to others", "All their answers are the same.", identical)
        look = "For people to look at, and never a proof: a share says nothing by itself."
        if alike.pages:
            look += f" Side by side: `{alike.pages}` beside the verdicts."
        students = {student for pair in alike.pairs for student in pair.students}
        groups = [Group(self._pair(pair), list(pair.students)) for pair in alike.pairs]
        yield Need(len(students), "in pairs that look alike", look, groups)

    def _pair(self, pair: AlikePair) -> str:
        shared = sorted(
            (exercise for exercise in pair.exercises if exercise.share),
            key=lambda exercise: -exercise.share,
        )
        exercises = ", ".join(
            f"`{exercise.id}` ({percent(exercise.share)})" for exercise in shared[:MOST_EXERCISES]
        )
        best_exercises = f"; most of it in {exercises}" if exercises else ""
        common = f"{percent(pair.share)} in common; honest pairs reach {percent(pair.by_chance)}"
        signs = pair.signs[:MOST_SIGNS] if self.names else []
        return " ".join([f"{common}{best_exercises}.", *signs])

    def _said(self, sentence: str, verdict: Verdict) -> str:
        """Return a sentence on a submission. Without `names`, the student's id, the name and file
        names are masked.
        """
        if self.names:
            return sentence
        telling = [verdict.student, self.results.names.get(verdict.student, "")]
        pattern = "|".join(re.escape(word) for word in telling if word)
        return re.sub(
            rf"(?<!\w)(?:{pattern})(?!\w)",
            "…",
            FILE_NAME.sub(lambda _: "`….ipynb`", sentence),
            flags=re.IGNORECASE,
        )


def _of(students: Iterable[str]) -> Said:
    return [("", student) for student in students]


def _need(name: str, to_do: str, reasons: Said) -> Need:
    """Return a need with the students grouped by sentence, the largest group first. Each student is
    counted once.
    """
    by_sentence: dict[str, list[str]] = {}
    for sentence, student in reasons:
        by_sentence.setdefault(sentence, []).append(student)
    groups = sorted(by_sentence.items(), key=lambda group: -len(group[1]))
    students = {student for _, group_students in groups for student in group_students}
    return Need(len(students), name, to_do, [Group(*group) for group in groups])
