"""Turn a verdict into blocks for one reader, student or staff; other modules render them.

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
STATES = {  # of an exercise, in words; an answered one needs none
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
        """The heading in one line: `two words: 2 of 4 (ran out of time)`."""
        state = f" ({self.state})" if self.state else ""
        return f"{self.text}: {share_text(self.points, self.max_points, ' of ')}{state}"

    @property
    def is_attempted(self) -> bool:
        return self.state != STATES["not_attempted"]


@dataclass(frozen=True)
class Sentence:
    """A sentence on an exercise; `kind` says what it is about, such as a known mistake or a note
    for staff.
    """

    kind: Literal["note", "repair", "mistake", "gone", "question", "consequence"]
    text: str  # with code in backticks

    @property
    def label(self) -> str:
        """The words to print before the sentence; "" if it needs none."""
        return LABELS.get(self.kind, "")

    @property
    def labelled(self) -> str:
        return f"{self.label} {self.text}".lstrip()


@dataclass(frozen=True)
class Checks:
    """Consecutive checks of an exercise that ask the student the same question, or none: because
    they passed, or because it stands above.
    """

    results: list[verdicts.CheckResult]
    question: Sentence | None

    @property
    def failed(self) -> list[verdicts.CheckResult]:
        return [one for one in self.results if not one.passed]


@dataclass(frozen=True)
class ExerciseBlocks:
    """What one reader, student or staff, may see of the result of an exercise."""

    heading: Heading
    sentences: list[Sentence]  # but for the questions of checks
    checks: list[Checks]

    def of_kind(self, kind: str) -> list[Sentence]:
        """Return the sentences whose kind is `kind`, such as "mistake" or "note"."""
        return [one for one in self.sentences if one.kind == kind]

    @property
    def in_short(self) -> list[Sentence]:
        """The most important sentences: first the known mistakes (without any, the question of the
        first failed check, or which check failed if it has none), then mistakes that have been
        fixed.

        For an exercise that was not attempted, no check is included.
        """
        made = self.of_kind("mistake")
        first = next((one for one in self.checks if one.failed), None)
        if first and not made and self.heading.is_attempted:
            said = Sentence("question", f"Not so: {first.failed[0].sentence}.")
            made = [first.question or said]
        return [*made, *self.of_kind("gone")]


def verdict_blocks(
    verdict: Verdict, reader: Literal["student", "staff"]
) -> dict[str, ExerciseBlocks]:
    """Return what the reader, "student" or "staff", may see of each exercise in a verdict, by the
    exercise's id. Only staff see the notes, and those of `general_notes` are not among them; a
    repair that names no cell of an exercise is with the first one.
    """
    repairs, general = _by_exercise(verdict, verdict.repairs)
    for one in verdict.exercises[:1]:
        repairs[one.id] += general
    notes, _ = _by_exercise(verdict, verdict.notes if reader == "staff" else [])
    return {
        one.id: ExerciseBlocks(
            Heading(title(one.id), one.points, one.max_points, STATES[one.state]),
            [
                *(Sentence("note", text) for text in notes[one.id]),
                *(Sentence("repair", text) for text in repairs[one.id]),
                *(Sentence("mistake", mistake.sentence) for mistake in one.mistakes),
                *(Sentence("gone", mistake.sentence) for mistake in one.gone),
            ],
            list(_checks(one)),
        )
        for one in verdict.exercises
    }


def without_values(verdict: Verdict, values: Collection[str]) -> tuple[Verdict, str]:
    """Return the verdict without the exercises in `values`, and whether each is filled or open."""
    shown = [one for one in verdict.exercises if one.id not in values]
    hidden = [one for one in verdict.exercises if one.id in values]
    if not hidden:
        return verdict, ""
    words = {one.id: "open" if one.state == "not_attempted" else "filled" for one in hidden}
    said = ", ".join(f"{title(id)} is {word}" for id, word in words.items())
    points, most = sum(one.points for one in shown), sum(one.max_points for one in shown)
    left = replace(verdict, exercises=shown, points=points, max_points=most)
    return left, f"Of these, points are told after the due date: {said}."


def general_notes(verdict: Verdict) -> list[Sentence]:
    """Return the notes for staff on the whole submission: those whose first word in backticks is
    not the name of an exercise's cell.
    """
    return [Sentence("note", text) for text in _by_exercise(verdict, verdict.notes)[1]]


def without_grade(verdict: Verdict) -> str:
    """Return the reason why a verdict gives no grade, as a sentence for the student; "" if it gives
    one.
    """
    reason = f": {printable(verdict.reason, texts.LONGEST_LINE)}" if verdict.reason else "."
    if verdict.state == "unreadable":
        return f"The submission could not be read{reason}"
    if verdict.state != "graded":
        return f"Not graded yet{reason}"
    return PRACTICE if verdict.is_practice else ""


def title(id: str) -> str:
    """Return an exercise's id as words: `two_words` becomes `two words`."""
    return id.replace("_", " ")


def share_text(points: float, most: float, between: str = " / ") -> str:
    """Return points and the maximum `most` as text: `3.5 / 4`, with another text `between` them."""
    return f"{points_text(points)}{between}{points_text(most)}"


def _checks(result: verdicts.ExerciseResult) -> Iterator[Checks]:
    """Yield the checks of an exercise, each question once. That of checks which failed by a named
    mistake is a consequence.
    """
    asked = set[str | None]((None,))
    for (text, is_consequence), group in groupby(result.checks, key=_question):
        question = Sentence("consequence" if is_consequence else "question", text or "")
        yield Checks(list(group), None if text in asked else question)
        asked.add(text)


def _question(check: verdicts.CheckResult) -> tuple[str | None, bool]:
    return check.message, bool(check.mistakes)


def _by_exercise(verdict: Verdict, said: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the sentences `said` by exercise: each belongs to the exercise whose cell its first
    word in backticks names. Return also the list of those that belong to none.
    """
    found: dict[str, list[str]] = {result.id: [] for result in verdict.exercises}
    places = {cell: of_one for id, of_one in found.items() for cell in (id, courses.CHECK + id)}
    general: list[str] = []
    for sentence in said:
        cell = CODE.search(sentence)
        places.get(cell[1] if cell else "", general).append(sentence)
    return found, general
