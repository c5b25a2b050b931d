"""Read what a student wrote for each exercise, code or text, and leave out what was released with
the assignment.
"""

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

CODE_GRAIN = Grain(gram=8, window=4)  # tokens: a shared passage of eleven is found
TEXT_GRAIN = Grain(gram=4, window=3)  # words: of six
QUOTED = Pattern(r"(?s)```\w*\n(.*?)```")
# where a piece of a cell begins that may answer another exercise than what is above it
PIECE = Pattern(r"(?m)^(?:class|def|async def|@)")
LONG_TEXT = Pattern(r"(?s)\"{3}(.*?)\"{3}|\'{3}(.*?)\'{3}")  # which `exec` can run
ENOUGH = 5  # fingerprints of known solutions that tell which exercise a piece of code answers


@dataclass(frozen=True)
class Answer:
    """What one student wrote for one exercise, with the fingerprints by which it is compared."""

    is_code: bool  # else it is a text for people
    text: str
    prints: frozenset[str]  # its fingerprints, but for those of the release
    is_cut: bool  # only its beginning is compared


@dataclass(frozen=True)
class Writer:
    """One student, and the student's answers, by exercise."""

    student: str
    answers: dict[str, Answer]


class Reader:
    """Reads what students wrote for an assignment; fingerprints of what its released notebook
    contains are left out.

    `independent`: a writer, with "" as its student, for each known solution. An answer that several
    solutions have is kept in the first one only.
    """

    def __init__(self, assignment: Assignment, solutions: Iterable[Mapping[str, str]] = ()):
        """`solutions`: the code, by exercise, of solutions that are known to be independent of each
        other. They also tell which exercise code in a student's own cell answers.
        """
        code = [cell.source for cell in assignment.cells if cell.kind == "code"]
        prose = [cell.source for cell in assignment.cells if cell.kind != "code"]
        code += [block for text in prose for block in QUOTED.findall(text)]
        given = {name for source in code for name in DEFINED.findall(source)}
        self._given = given | {
            name
            for source in code
            for found in IMPORTS.findall(source)
            for name in texts.WORDS.findall(found)
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
        """Return what a student wrote: solution cells that differ from the release, the code cells
        that the student added after them, and code in any other cell that answers an exercise,
        because it defines its names or because it looks like known solutions.

        Raises `OutOfBounds` if that takes too much time or memory, `NoAnswer` if the process that
        reads is killed or gets no time.
        """
        return limits.run_bounded(lambda: self.written(submission))

    def written(self, submission: Submission) -> Writer:
        """Return what `read` returns, without limits on time and memory."""
        elsewhere = [one for one in notes.answering_code(submission) if one[0] != one[1]]
        answering = {cell for _, cell, _ in elsewhere}
        claimed = "\n\n".join(text for *_, text in elsewhere)
        answers, code = dict[str, Answer](), defaultdict[str, list[str]](list)
        exercise = ""
        for cell in submission.cells:
            solution = cell.pristine is not None and cell.pristine.solution
            exercise = cell.id if solution else exercise
            behind = cell.pristine is None and exercise in code and cell.id not in answering
            written = cell.source.strip() and not cell.as_released
            if written and solution and cell.kind != "code":
                answers[exercise] = self.answer(False, cell.source)
            elif written and cell.kind == "code" and (solution or behind):
                code[exercise].append(cell.source)
            if written and not solution:
                for other, piece in self._unclaimed(cell.source, claimed):
                    if not (behind and other == exercise):
                        code[other].append(piece)
        for exercise, _, text in elsewhere:
            code[exercise].append(text)
        answers |= {name: self.answer(True, "\n\n".join(texts)) for name, texts in code.items()}
        return Writer(submission.student, answers)

    def answer(self, is_code: bool, text: str) -> Answer:
        """Return an answer with this text and its fingerprints. `is_code`: whether it is code; else
        it is text for people. Of a very long one, only the beginning gets fingerprints (`is_cut`).
        """
        words = self._words(is_code, text).texts
        prints = fingerprints(words, _grain(is_code)) - self._released
        return Answer(is_code, text, frozenset(prints), len(words) == MOST_WORDS)

    def _independent(self, solutions: Iterable[Mapping[str, str]]) -> list[Writer]:
        seen: set[tuple[str, str]] = set()
        writers = []
        for cells in solutions:
            fresh = cells.items() - seen
            seen |= fresh
            writers.append(Writer("", {name: self.answer(True, text) for name, text in fresh}))
        return writers

    def _unclaimed(self, source: str, claimed: str) -> Iterator[tuple[str, str]]:
        """Yield (exercise, code) for each piece of a cell that answers an exercise, as far as its
        fingerprints say, and is not a part of `claimed`, the code that answers one by its names.
        """
        begins = [0, *(match.start() for match in PIECE.finditer(source)), len(source)]
        pieces = [source[begin:end].strip() for begin, end in pairwise(begins)]
        pieces += [text for texts in LONG_TEXT.findall(source) for text in texts]
        for piece in pieces:
            if piece and piece not in claimed and (exercise := self._exercise_of(piece)):
                yield exercise, piece

    def _exercise_of(self, code: str) -> str | None:
        """Return the exercise to whose known solutions some code is most alike; None if it is alike
        to none.
        """
        prints = self.answer(True, code).prints
        count, exercise = max(
            ((len(prints & usual), name) for name, usual in self._usual.items()), default=(0, "")
        )
        return exercise if count >= ENOUGH else None

    def places(self, answer: Answer) -> list[tuple[str, tuple[int, ...]]]:
        """Return each place in the answer where one of its fingerprints occurs, in order: the
        k-gram (its words, joined by spaces), and the line of each of its words, counted from 0.
        """
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
