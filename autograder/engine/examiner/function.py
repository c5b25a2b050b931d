"""The proxy of a function that the student's code defines."""

from collections.abc import Sequence
from typing import Any

from autograder.engine.examiner.asking import Asker
from autograder.engine.examiner.handed import with_places
from autograder.engine.examiner.reading import read_answers, without_changes


class Function:
    """A student's function. Its answers are plain values, and tensors of this process."""

    def __init__(self, candidate: Asker, name: str):
        self.candidate = candidate
        self.name = name

    def __call__(self, *args: object) -> Any:
        """Call the function and return its answer: a tensor, a number, a text, or a list, tuple or
        dict of these.
        """
        return self.each(args)[0]

    def each(self, *calls: Sequence[object]) -> list:
        """Call the function with each of these sequences of arguments, in a single question."""
        return self._call(calls, echo=False)

    def unchanged(self, *args: object) -> Any:
        """Call the function as `__call__` does. Raise `AssertionError` if an argument changed."""
        arguments, _ = with_places(args)
        return without_changes(self._call([args], echo=True), arguments)

    def _call(self, calls: Sequence[Sequence[object]], echo: bool) -> list:
        arguments, objects = zip(*map(with_places, calls), strict=True)
        question = {"name": self.name, "calls": list(arguments), "echo": echo}
        if any(objects):
            question["objects"] = list(objects)
        answers = self.candidate.ask("function", question, about=self.name)
        return read_answers(answers, len(calls), echo)
