"""The proxy of one function that the student's code defines."""

from collections.abc import Sequence
from typing import Any

from autograder.engine.examiner.asking import Asker
from autograder.engine.examiner.handed import with_places
from autograder.engine.examiner.reading import read_answers, without_changes


class Function:
    """A student's function, `name`. Its answers are plain values, and tensors of this process."""

    def __init__(self, candidate: Asker, name: str):
        self.candidate = candidate
        self.name = name

    def __call__(self, *args: object) -> Any:
        """Call the function with these arguments; return its answer: a tensor, a number, a text, or
        a list, tuple or dict of these.
        """
        return self.each(args)[0]

    def each(self, *calls: Sequence[object]) -> list:
        """Call the function once for each of `calls`, a sequence of arguments, in one question;
        return the answers in order.
        """
        return self._call(calls, echo=False)

    def unchanged(self, *args: object) -> Any:
        """Call the function with these arguments; return its answer. Raise `AssertionError` if the
        call changed an argument.
        """
        given, _ = with_places(args)
        return without_changes(self._call([args], echo=True), given)

    def _call(self, calls: Sequence[Sequence[object]], echo: bool) -> list:
        given, objects = zip(*map(with_places, calls), strict=True)
        question = {"name": self.name, "calls": list(given), "echo": echo}
        if any(objects):
            question["objects"] = list(objects)
        answers = self.candidate.ask("function", question, about=self.name)
        return read_answers(answers, len(calls), echo)
