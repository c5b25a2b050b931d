"""Turn a verdict into blocks for a reader, student or staff. Other modules render them.

This is the only place that decides which parts of a verdict a student may see. For example:

    blocks = verdict_blocks(verdict, "student")["attention"]
    blocks.heading.line              "attention: 2 of 4"
    blocks.sentences                 [Sentence("mistake", "The scores are not divided by ...")]
    blocks.checks[0].question.text   "Is the mask added before the softmax?"
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from msgspec.structs import replace

from autograder.engine import Pattern, Verdict, courses, points_text, printable, texts, verdicts

CODE = Pattern(r"`([^`]+)`")  # in any sentence about a verdict
STATES = {  # of an exercise, in words
    "answered": "",
    "not_attempted": "not attempted",
    "error": "stopped with an error",
    "timed_out": "ran out of time",
    "out_of_memory": "ran out of memory",
    "crashed": "ended its process",
}
PRACTICE = "Practice: graded without a sandbox. These points are not a grade."
LABELS = {
    "note": "For staff only, no points:",
    "gone": "Fixed since an earlier submission:",
    "consequence": "Follows from what is named above:",
}


@dataclass(frozen=True)
class Heading:
    """An exercise's title, points and state."""

    text: str
    points: float
    max_points: float
    state: str = ""  # in words

    @property
    def line(self) -> str:
        """The heading as one line: `two words: 2 of 4 (ran out of time)`."""
        state = f" ({self.state})" if self.state else ""
        return f"{self.text}: {share_text(self.points, self.max_points, ' of ')}{state}"

    @property
    def is_attempted(self) -> bool:
        return self.state != STATES["not_attempted"]


@dataclass(frozen=True)
class Sentence:
    """A sentence on an exercise, such as a known mistake or a note for staff (`kind`)."""

    kind: Literal["note", "repair", "mistake", "gone", "question", "consequence"]
    text: str  # with code in backticks

    @property
    def label(self) -> str:
        """The words to print before the sentence, or ""."""
        return LABELS.get(self.kind, "")

    @property
    def labelled(self) -> str:
        return f"{self.label} {self.text}".lstrip()


@dataclass(frozen=True)
class Checks:
    """Consecutive checks with the same question. It is None if they passed or it was asked before."""

    results: list[verdicts.CheckResult]
    question: Sentence | None

    @property
    def failed(self) -> list[verdicts.CheckResult]:
        return [result for result in self.results if not result.passed]


@dataclass(frozen=True)
class ExerciseBlocks:
    """The result of an exercise as visible to a reader, student or staff."""

    heading: Heading
    sentences: list[Sentence]  # except questions of checks
    checks: list[Checks]

    def of_kind(self, kind: str) -> list[Sentence]:
        return [sentence for sentence in self.sentences if sentence.kind == kind]

    @property
    def in_short(self) -> list[Sentence]:
        """The most important sentences: known mistakes, then fixed mistakes. Without known
        mistakes, it begins with the question or the name of the first failed check.

        For an exercise that was not attempted, no check is included.
        """
        mistakes = self.of_kind("mistake")
        first = next((checks for checks in self.checks if checks.failed), None)
        if first and not mistakes and self.heading.is_attempted:
            question = Sentence("question", f"Not so: {first.failed[0].sentence}.")
            mistakes = [first.question or question]
        return [*mistakes, *self.of_kind("gone")]


def verdict_blocks(
    verdict: Verdict, reader: Literal["student", "staff"]
) -> dict[str, ExerciseBlocks]:
    """Return the blocks of each exercise in a verdict for this reader, by exercise id. Only staff
    see the notes, without those of `general_notes`. Repairs of other cells are listed with the
    first exercise.
    """
    repairs, general = _by_exercise(verdict, verdict.repairs)
    for exercise in verdict.exercises[:1]:
        repairs[exercise.id] += general
    notes, _ = _by_exercise(verdict, verdict.notes if reader == "staff" else [])
    return {
        exercise.id: ExerciseBlocks(
            Heading(
                title(exercise.id), exercise.points, exercise.max_points, STATES[exercise.state]
            ),
            [
                *(Sentence("note", text) for text in notes[exercise.id]),
                *(Sentence("repair", text) for text in repairs[exercise.id]),
                *(Sentence("mistake", mistake.sentence) for mistake in exercise.mistakes),
                *(Sentence("gone", mistake.sentence) for mistake in exercise.gone),
            ],
            list(_checks(exercise)),
        )
        for exercise in verdict.exercises
    }


def without_values(verdict: Verdict, values: Collection[str]) -> tuple[Verdict, str]:
    """Return the verdict without the exercises in `values`, and a sentence on their states."""
    visible = [exercise for exercise in verdict.exercises if exercise.id not in values]
    hidden = [exercise for exercise in verdict.exercises if exercise.id in values]
    if not hidden:
        return verdict, ""
    words = {
        exercise.id: "open" if exercise.state == "not_attempted" else "filled"
        for exercise in hidden
    }
    states = ", ".join(f"{title(id)} is {word}" for id, word in words.items())
    points, max_points = (
        sum(exercise.points for exercise in visible),
        sum(exercise.max_points for exercise in visible),
    )
    reduced = replace(verdict, exercises=visible, points=points, max_points=max_points)
    return reduced, f"Of these, points are told after the due date: {states}."


def general_notes(verdict: Verdict) -> list[Sentence]:
    """Return the notes for staff that do not begin with the cell of an exercise in backticks."""
    return [Sentence("note", text) for text in _by_exercise(verdict, verdict.notes)[1]]


def without_grade(verdict: Verdict) -> str:
    """Return the reason why a verdict gives no grade, for the student, "" if it gives a grade."""
    reason = f": {printable(verdict.reason, texts.LONGEST_LINE)}" if verdict.reason else "."
    if verdict.state == "unreadable":
        return f"The submission could not be read{reason}"
    if verdict.state != "graded":
        return f"Not graded yet{reason}"
    return PRACTICE if verdict.is_practice else ""


def title(id: str) -> str:
    """Return an exercise's id as words: `two_words` becomes `two words`."""
    return id.replace("_", " ")


def share_text(points: float, max_points: float, separator: str = " / ") -> str:
    """Return points and their maximum as text: `3.5 / 4`, or with another `separator`."""
    return f"{points_text(points)}{separator}{points_text(max_points)}"


def _checks(result: verdicts.ExerciseResult) -> Iterator[Checks]:
    """Yield the checks, each question once. Questions on named mistakes are consequences."""
    printed = set[str | None]((None,))
    for (text, is_consequence), group in groupby(result.checks, key=_question):
        question = Sentence("consequence" if is_consequence else "question", text or "")
        yield Checks(list(group), None if text in printed else question)
        printed.add(text)


def _question(check: verdicts.CheckResult) -> tuple[str | None, bool]:
    return check.message, bool(check.mistakes)


def _by_exercise(
    verdict: Verdict, sentences: Sequence[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Group the sentences by the cell in backticks. Return the general ones, too."""
    by_exercise: dict[str, list[str]] = {result.id: [] for result in verdict.exercises}
    by_cell = {
        cell: of_exercise
        for id, of_exercise in by_exercise.items()
        for cell in (id, courses.CHECK + id)
    }
    general: list[str] = []
    for sentence in sentences:
        cell = CODE.search(sentence)
        by_cell.get(cell[1] if cell else "", general).append(sentence)
    return by_exercise, general
