"""Read a student's answers, code or text, by exercise, without the text of the release."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from autograder.desk.look_alikes.tokens import (
    DEFINED,
    IMPORTS,
    MOST_WORDS,
    Grain,
    Words,
    fingerprints,
    grams,
    words_of_code,
    words_of_text,
)
from autograder.engine import Assignment, Pattern, Submission, limits, notes, texts

CODE_GRAIN = Grain(gram=8, window=4)  # finds shared passages of eleven tokens
TEXT_GRAIN = Grain(gram=4, window=3)  # finds shared passages of six words
QUOTED = Pattern(r"(?s)```\w*\n(.*?)```")
# the start of a piece of a cell that may answer another exercise than the code above it
PIECE = Pattern(r"(?m)^(?:class|def|async def|@)")
LONG_TEXT = Pattern(r"(?s)\"{3}(.*?)\"{3}|\'{3}(.*?)\'{3}")  # which `exec` can run
ENOUGH = 5  # fingerprints shared with known solutions that identify the exercise of some code


@dataclass(frozen=True)
class Answer:
    """A student's answer to an exercise, with its fingerprints."""

    is_code: bool
    text: str
    prints: frozenset[str]  # fingerprints, without those of the release
    is_cut: bool  # only the beginning has fingerprints


@dataclass(frozen=True)
class Writer:
    """A student's answers, by exercise."""

    student: str
    answers: dict[str, Answer]


class Reader:
    """Reads students' answers to an assignment, without fingerprints of the released notebook.

    `independent`: a writer with student "" for each known solution, without answers that an earlier
    solution has.
    """

    def __init__(self, assignment: Assignment, solutions: Iterable[Mapping[str, str]] = ()):
        """`solutions`: code by exercise of known, independent solutions. They also identify the
        exercise of code in students' own cells.
        """
        code = [cell.source for cell in assignment.cells if cell.kind == "code"]
        prose = [cell.source for cell in assignment.cells if cell.kind != "code"]
        code += [block for text in prose for block in QUOTED.findall(text)]
        released_names = {name for source in code for name in DEFINED.findall(source)}
        self._given = released_names | {
            name
            for source in code
            for line in IMPORTS.findall(source)
            for name in texts.WORDS.findall(line)
        }
        self._released = {
            gram
            for is_code, sources in ((True, code), (False, prose))
            for source in sources
            for gram in grams(self._words(is_code, source).texts, _grain(is_code).gram)
        }
        self.independent = self._independent(solutions)
        self._usual = defaultdict[str, set[str]](set)
        for writer in self.independent:
            for exercise, answer in writer.answers.items():
                self._usual[exercise] |= answer.prints

    def read(self, submission: Submission) -> Writer:
        """Return a student's answers: changed solution cells, the student's own code cells after
        them, and code in other cells that answers an exercise by its names or its similarity.

        Raises `OutOfBounds` if that takes too much time or memory, `NoAnswer` if the process that
        reads is killed or gets no time.
        """
        return limits.run_bounded(lambda: self.written(submission))

    def written(self, submission: Submission) -> Writer:
        """Return the result of `read`, without limits on time and memory."""
        elsewhere = [part for part in notes.answering_code(submission) if part[0] != part[1]]
        answering = {cell for _, cell, _ in elsewhere}
        claimed = "\n\n".join(text for *_, text in elsewhere)
        answers, code = dict[str, Answer](), defaultdict[str, list[str]](list)
        exercise = ""
        for cell in submission.cells:
            solution = cell.pristine is not None and cell.pristine.solution
            exercise = cell.id if solution else exercise
            behind = cell.pristine is None and exercise in code and cell.id not in answering
            is_written = cell.source.strip() and not cell.as_released
            if is_written and solution and cell.kind != "code":
                answers[exercise] = self.answer(False, cell.source)
            elif is_written and cell.kind == "code" and (solution or behind):
                code[exercise].append(cell.source)
            if is_written and not solution:
                for claimed_exercise, piece in self._unclaimed(cell.source, claimed):
                    if not (behind and claimed_exercise == exercise):
                        code[claimed_exercise].append(piece)
        for exercise, _, text in elsewhere:
            code[exercise].append(text)
        answers |= {name: self.answer(True, "\n\n".join(texts)) for name, texts in code.items()}
        return Writer(submission.student, answers)

    def answer(self, is_code: bool, text: str) -> Answer:
        """Return an answer with its fingerprints, of the first MOST_WORDS words."""
        words = self._words(is_code, text).texts
        prints = fingerprints(words, _grain(is_code)) - self._released
        return Answer(is_code, text, frozenset(prints), len(words) == MOST_WORDS)

    def _independent(self, solutions: Iterable[Mapping[str, str]]) -> list[Writer]:
        earlier: set[tuple[str, str]] = set()
        writers = []
        for cells in solutions:
            fresh = cells.items() - earlier
            earlier |= fresh
            writers.append(Writer("", {name: self.answer(True, text) for name, text in fresh}))
        return writers

    def _unclaimed(self, source: str, claimed: str) -> Iterator[tuple[str, str]]:
        """Yield (exercise, code) for each piece of a cell with the fingerprints of an exercise,
        unless it is part of `claimed`, code that answers an exercise by its names.
        """
        begins = [0, *(match.start() for match in PIECE.finditer(source)), len(source)]
        pieces = [source[begin:end].strip() for begin, end in pairwise(begins)]
        pieces += [text for texts in LONG_TEXT.findall(source) for text in texts]
        for piece in pieces:
            if piece and piece not in claimed and (exercise := self._exercise_of(piece)):
                yield exercise, piece

    def _exercise_of(self, code: str) -> str | None:
        """Return the exercise with the most similar known solutions, if they are similar enough."""
        prints = self.answer(True, code).prints
        count, exercise = max(
            ((len(prints & usual), name) for name, usual in self._usual.items()), default=(0, "")
        )
        return exercise if count >= ENOUGH else None

    def places(self, answer: Answer) -> list[tuple[str, tuple[int, ...]]]:
        """Return (k-gram, line of each word from 0) of each fingerprint in the answer, in order."""
        (words, lines), length = (
            self._words(answer.is_code, answer.text),
            _grain(answer.is_code).gram,
        )
        return [
            (gram, tuple(lines[place : place + length]))
            for place, gram in enumerate(grams(words, length))
            if gram in answer.prints
        ]

    def _words(self, is_code: bool, text: str) -> Words:
        return words_of_code(text, self._given) if is_code else words_of_text(text)


def _grain(is_code: bool) -> Grain:
    return CODE_GRAIN if is_code else TEXT_GRAIN
