"""What a student wrote, by exercise: the code or the text of its cell, without what was released."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from autograder.engine.course.assignment import Assignment
from autograder.engine.limits.bounded import run_bounded
from autograder.engine.notebook.submission import Submission
from autograder.engine.notes.answers import answering_code
from autograder.files.digest import digest_of
from autograder.staff.look_alikes.fingerprints import Grain, fingerprints, grams
from autograder.staff.look_alikes.tokens import LONGEST, MOST_TOKENS, Code, is_plain, read_code
from autograder.text.patterns import WORD, WORDS, Pattern

CODE_GRAIN = Grain(gram=8, window=4)  # tokens: a shared passage of eleven is found
TEXT_GRAIN = Grain(gram=4, window=3)  # words: of six
DEFINED = Pattern(rf"\b(?:def|class)\s+([{WORD}]+)")
QUOTED = Pattern(r"(?s)```\w*\n(.*?)```")
Lines = tuple[int, ...]  # from 0


@dataclass(frozen=True)
class Answer:
    """What one student wrote for one exercise."""

    code: bool  # else it is a text for people
    text: str


@dataclass(frozen=True)
class Writer:
    """One student, and what the student wrote."""

    student: str
    answers: dict[str, Answer]  # by exercise
    hash: str  # of all of it


@dataclass(frozen=True)
class Features:
    """What is compared of one answer."""

    prints: frozenset[str]
    odd: frozenset[tuple[str, str]]  # (kind, what): names, comments, strings, numbers
    normal: str  # the whole of it, where names, comments and formatting make no difference
    whole: bool  # not only its beginning


class Reader:
    """Reads answers, and leaves out what the assignment's release says already."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self._known: dict[Answer, Features] = {}
        self._by_line: dict[Answer, list[tuple[str, Lines]]] = {}

    def written(self, submission: Submission) -> Writer:
        """Return what a student wrote: solution cells that differ from the release, code in own cells
        behind them, and what answers an exercise in any other cell.
        """
        elsewhere = [one for one in answering_code(submission) if one[0] != one[1]]
        answering = {cell for _, cell, _ in elsewhere}
        answers, code = dict[str, Answer](), defaultdict[str, list[str]](list)
        exercise = ""
        for cell in submission.cells:
            solution = cell.pristine is not None and cell.pristine.solution
            exercise = cell.id if solution else exercise
            behind = cell.pristine is None and exercise in code and cell.id not in answering
            written = cell.source.strip() and not cell.as_released
            if written and solution and cell.kind != "code":
                answers[exercise] = Answer(False, cell.source)
            elif written and cell.kind == "code" and (solution or behind):
                code[exercise].append(cell.source)
        for exercise, _, text in elsewhere:
            code[exercise].append(text)
        answers |= {name: Answer(True, "\n\n".join(texts)) for name, texts in code.items()}
        everything = [[name, one.text] for name, one in answers.items()]
        return Writer(submission.student, answers, digest_of("written", everything))

    def read(self, submission: Submission) -> Writer:
        """Return what a student wrote, all of which was read within limits. Raises `OutOfBounds`."""
        _ = self._released_grams, self._released_odd  # read once, and not by each process

        def read() -> tuple[Writer, dict[Answer, Features]]:
            writer = self.written(submission)
            return writer, {one: self.features(one) for one in writer.answers.values()}

        writer, known = run_bounded(read)
        self._known |= known
        return writer

    def features(self, answer: Answer) -> Features:
        """Return what is compared of an answer. Equal ones are read once."""
        if answer not in self._known:
            made = self._of_code(answer.text) if answer.code else self._of_text(answer.text)
            self._known[answer] = made
        return self._known[answer]

    def grams_by_line(self, answer: Answer) -> list[tuple[str, Lines]]:
        """Return each k-gram that is a fingerprint of the answer, and on which line each word is."""
        if answer not in self._by_line:
            self._by_line[answer] = list(self._places(answer))
        return self._by_line[answer]

    def _places(self, answer: Answer) -> Iterator[tuple[str, Lines]]:
        if answer.code:
            read, grain = self._code(answer.text), CODE_GRAIN
            words, lines = read.words, read.lines
        else:
            words, lines = words_of(answer.text)
            grain = TEXT_GRAIN
        prints = self.features(answer).prints
        for place, gram in enumerate(grams(words, grain.gram)):
            if gram in prints:
                yield gram, tuple(lines[place : place + grain.gram])

    def _code(self, source: str) -> Code:
        return read_code(source, self._given_names)

    def _of_code(self, source: str) -> Features:
        code = self._code(source)
        prints = fingerprints(code.words, CODE_GRAIN) - self._released_grams
        odd = {("name", name) for name in code.names if not is_plain(name)}
        odd |= {("comment", text) for text in code.comments if len(text) > 3}
        odd |= {("string", text) for text in code.strings if len(text.strip()) > 3}
        odd |= {("number", text) for text in code.numbers if len(text.strip("-.")) > 2}
        rare = frozenset(odd - self._released_odd)
        return Features(frozenset(prints), rare, " ".join(code.words), code.whole)

    def _of_text(self, text: str) -> Features:
        words, _ = words_of(text)
        prints = fingerprints(words, TEXT_GRAIN) - self._released_grams
        whole = len(words) < MOST_TOKENS
        return Features(frozenset(prints), frozenset(), " ".join(words), whole)

    @cached_property
    def _given_names(self) -> frozenset[str]:
        """Classes, functions and methods that the release defines."""
        return frozenset(name for source in self._released_code for name in DEFINED.findall(source))

    @cached_property
    def _released_code(self) -> list[str]:
        return [cell.source for cell in self.assignment.cells if cell.kind == "code"]

    @cached_property
    def _released_grams(self) -> frozenset[str]:
        codes = [self._code(source).words for source in self._released_code]
        texts = [words_of(cell.source)[0] for cell in self.assignment.cells if cell.kind != "code"]
        texts += [words_of(block)[0] for block in self._hints]
        hints = [self._code(block).words for block in self._hints]
        found: set[str] = set()
        for words in codes + hints:
            found.update(grams(words, CODE_GRAIN.gram))
        for words in texts:
            found.update(grams(words, TEXT_GRAIN.gram))
        return frozenset(found)

    @cached_property
    def _hints(self) -> list[str]:
        """Code that the release's texts quote."""
        texts = (cell.source for cell in self.assignment.cells if cell.kind != "code")
        return [block for text in texts for block in QUOTED.findall(text)]

    @cached_property
    def _released_odd(self) -> frozenset[tuple[str, str]]:
        """Names, comments, strings and numbers of the release: nobody chose them."""
        found: set[tuple[str, str]] = set()
        for source in self._released_code:
            code = read_code(source)
            found |= {("name", word) for word in WORDS.findall(source)}
            found |= {("comment", text) for text in code.comments}
            found |= {("string", text) for text in code.strings}
            found |= {("number", text) for text in code.numbers}
        for cell in self.assignment.cells:
            if cell.kind != "code":
                found |= {("name", word) for word in WORDS.findall(cell.source)}
                found |= {("string", word) for word in WORDS.findall(cell.source)}
                found |= {("number", number) for number in read_code(cell.source).numbers}
        return frozenset(found)


def words_of(text: str) -> tuple[list[str], list[int]]:
    """Return the words of a text in small letters, and the line of each."""
    words, lines = [], []
    small, line, end = text.lower(), 0, 0
    for found in islice(WORDS.finditer(small), MOST_TOKENS):
        line += small.count("\n", end, found.start())
        end = found.end()
        words.append(found[0][:LONGEST])
        lines.append(line)
    return words, lines
