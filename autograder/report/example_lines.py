"""One line of a student's code as an example of a mistake: the one that says what the mistake says.

A mistake is an edit of the solution. The lines that it writes there are compared with the lines of
students who made it; a student's line is an example if it is more like such a line than like any
line of the solution. Where none is, there is no example.

Whose line it is must not be seen from it: comments are left out, and lines with a text that is not
the assignment's, with a long number, or with a part of the student's name or id.
"""

import io
import tokenize
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from autograder.engine.assignment import Assignment
from autograder.engine.bounded import OutOfBounds, run_bounded
from autograder.engine.mistake import Mistake, mistakes
from autograder.engine.submission import Submission, read_submission
from autograder.engine.verdict import Verdict
from autograder.patterns import Pattern
from autograder.text import printable

LONGEST = 100  # characters of an example
MOST_MISTAKES = 40  # those that cost most
MOST_ASKED = 4  # students for one mistake
LONGEST_CELL = 20_000  # characters that are looked through
MOST_LINES = 500  # of a cell
ALIKE = 0.6  # at least, from 0 to 1
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
TEXTS = tuple(
    getattr(tokenize, name) for name in ("STRING", "FSTRING_MIDDLE") if hasattr(tokenize, name)
)
LONG_NUMBER = Pattern(r"\d{5,}")
Key = tuple[str, str]  # exercise, mistake
Tokens = tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """One statement: its text without comments, and its tokens."""

    text: str
    tokens: Tokens
    texts: tuple[str, ...]  # those of its tokens that are strings

    @cached_property
    def neighbours(self) -> Counter[tuple[str, str]]:
        return Counter(pairwise(("", *self.tokens, "")))


def example_lines(
    assignment: Assignment,
    wanted: Sequence[Key],
    verdicts: Iterable[Verdict],
    notebooks: dict[str, Path],
    top: Path,
    private: Callable[[str], Sequence[str]],
) -> dict[Key, str]:
    """Return a line of code for each of the first `MOST_MISTAKES` wanted for which there is one.

    `notebooks` are those of the students, below the folder `top`, in which no link is followed;
    `private` says which words tell who a student is. Raises `GraderError`.
    """
    known = {(mistake.exercise, mistake.id): mistake for mistake in mistakes(assignment)}
    reader = _Reader(assignment, notebooks, top)
    usual = _usual(assignment)
    examples = {}
    made_by = _candidates(verdicts)
    for key in wanted[:MOST_MISTAKES]:
        mistake = known.get(key)
        if mistake and (solution := assignment.solutions.get(mistake.exercise)):
            finder = LineFinder(mistake, solution, usual)
            found = finder.find(
                (line, private(verdict.student))
                for verdict in made_by.get(key, [])
                for line in reader.lines(verdict, mistake.exercise)
            )
            if found:
                examples[key] = found
    return examples


def lines_of(code: str) -> list[Line]:
    """Return the statements of some code, and none where Python cannot read it."""
    lines: list[Line] = []
    parts: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.NEWLINE:
                if parts:
                    lines.append(_line(parts))
                parts = []
            elif token.type not in LAYOUT:
                parts.append(token)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return []
    return lines


def _lines_of_stranger(code: str) -> list[Line]:
    try:
        return run_bounded(lambda: lines_of(code)[:MOST_LINES])
    except OutOfBounds:
        return []


def likeness(one: Line, other: Line) -> float:
    """Return how alike two lines are, from 0 to 1: the share of neighbouring tokens in common.

    L. R. Dice, Measures of the Amount of Ecologic Association Between Species, Ecology 26 (1945).
    """
    common = (one.neighbours & other.neighbours).total()
    return 2 * common / (one.neighbours.total() + other.neighbours.total())


class _Reader:
    """Reads the cells of students as they were graded, each notebook once."""

    def __init__(self, assignment: Assignment, notebooks: dict[str, Path], top: Path):
        self.assignment, self.notebooks, self.top = assignment, notebooks, top
        self.read: dict[str, Submission | None] = {}

    def lines(self, verdict: Verdict, exercise: str) -> list[Line]:
        """The lines of a student's cell; none where the notebook is another one than was graded."""
        student = verdict.student
        if student not in self.read:
            self.read[student] = self._submission(student)
        submission = self.read[student]
        if submission is None or submission.hash != verdict.stamp.submission:
            return []
        return [
            line
            for cell in submission.cells
            if cell.id == exercise and len(cell.source) <= LONGEST_CELL
            for line in _lines_of_stranger(cell.source)
        ]

    def _submission(self, student: str) -> Submission | None:
        path = self.notebooks.get(student)
        if path is None:
            return None
        submission = read_submission(self.assignment, student, path, self.top)
        return None if submission.unreadable else submission


def _candidates(verdicts: Iterable[Verdict]) -> dict[Key, list[Verdict]]:
    """Who made each mistake: those first who made no other in its exercise."""
    alone: dict[Key, list[Verdict]] = {}
    others: dict[Key, list[Verdict]] = {}
    for verdict in verdicts:
        for result in verdict.exercises:
            where = alone if len(result.mistakes) == 1 else others
            for mistake in result.mistakes:
                where.setdefault((result.id, mistake.id), []).append(verdict)
    keys = dict.fromkeys([*alone, *others])
    return {key: [*alone.get(key, []), *others.get(key, [])][:MOST_ASKED] for key in keys}


class LineFinder:
    """Finds the line that is most like one that a mistake writes."""

    def __init__(self, mistake: Mistake, solution: str, usual: Collection[Tokens]):
        self.solution = lines_of(solution)
        self.usual = usual
        self.written = _written(mistake, solution, {line.tokens for line in self.solution})
        every = [*self.solution, *self.written]
        self.texts = {text for line in every for text in line.texts}

    def find(self, lines: Iterable[tuple[Line, Sequence[str]]]) -> str | None:
        """Return the best of the lines, each of which comes with the words that it must not hold."""
        best, example = 0.0, None
        for line, words in lines:
            if line.tokens in self.usual or not _is_anonymous(line, self.texts, words):
                continue
            fit = self._fit(line)
            if fit > best:
                best, example = fit, line
            if best == 1:
                break
        return self._shortened(example) if example else None

    def _fit(self, line: Line) -> float:
        """How much a line is like one that the mistake writes; 0 where the solution's is as near."""
        written = max((likeness(line, one) for one in self.written), default=0.0)
        solved = max((likeness(line, one) for one in self.solution), default=0.0)
        return written if written >= ALIKE and written > solved else 0.0

    def _shortened(self, line: Line) -> str:
        """The line, or the part of it where it begins to differ from the solution's."""
        if len(line.text) <= LONGEST:
            return printable(line.text, LONGEST)
        nearest = max(self.solution, key=lambda one: likeness(line, one))
        pairs = enumerate(zip(line.text, nearest.text, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), len(nearest.text))
        begin = max(0, min(same - LONGEST // 2, len(line.text) - LONGEST + 4))
        end = begin + LONGEST - 4
        cut = line.text[begin:end].strip()
        before, after = "… " * (begin > 0), " …" * (end < len(line.text))
        return printable(f"{before}{cut}{after}", LONGEST)


def _written(mistake: Mistake, solution: str, solved: Collection[Tokens]) -> list[Line]:
    """The lines that any way of a mistake writes and the solution does not have."""
    written: dict[Tokens, Line] = {}
    for cell in mistake.cells:
        written |= {line.tokens: line for line in lines_of(cell) if line.tokens not in solved}
    return list(written.values())


def _is_anonymous(line: Line, allowed: set[str], words: Sequence[str]) -> bool:
    text = line.text.casefold()
    return (
        allowed.issuperset(line.texts)
        and not LONG_NUMBER.search(text)
        and not any(word.casefold() in text for word in words)
    )


def _usual(assignment: Assignment) -> set[Tokens]:
    """The lines that are in any solution or in the release: they show no mistake."""
    released = (cell.source for cell in assignment.cells if cell.kind == "code")
    every = (*assignment.solutions.values(), *released)
    return {line.tokens for code in every for line in lines_of(code)}


def _line(parts: list[tokenize.TokenInfo]) -> Line:
    """A statement on one line, as it was written there, with one space where it was broken."""
    text, before = "", parts[0]
    for part in parts:
        if part.start[0] != before.end[0]:
            text += "" if text.endswith(("(", "[", "{")) or part.string in ")]}" else " "
        else:
            text += " " * min(part.start[1] - before.end[1], 1)
        text += part.string
        before = part
    texts = tuple(part.string for part in parts if part.type in TEXTS)
    return Line(text, tuple(part.string for part in parts), texts)
