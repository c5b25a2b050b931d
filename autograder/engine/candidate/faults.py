"""Describe an exception of a submission's code as plain values for the examiner."""

import builtins
import re
import traceback

from autograder.engine.candidate.shortened import CELL, message_of

OUT_OF_MEMORY = re.compile(r"can't allocate memory|not enough memory|DefaultCPUAllocator")


class Unanswerable(Exception):
    """The submission cannot answer a question. `kind`: a key of `SENTENCES` in `examiner/faults.py`.
    `text`: details.
    """

    def __init__(self, kind: str, text: str = ""):
        super().__init__(text)
        self.kind = kind


def describe_fault(error: BaseException) -> dict:
    """Return a dict that describes an exception.

    The keys: "kind" (that of `Unanswerable`, or "not_implemented" for a stub, "out_of_memory",
    "raised"), "type" (its nearest built-in class), "text" (the beginning of its message), "cell"
    and "line" (the location in the student's code, None if unknown).
    """
    cell, line = _place(error)
    text = message_of(error)
    return {
        "kind": _kind(error, text),
        "type": _builtin(type(error)),
        "text": text[:500],
        "cell": cell,
        "line": line,
    }


def _builtin(kind: type) -> str:
    """Return the name of the nearest built-in base class of an exception class."""
    # not a private class: Python 3.13 raises `_IncompleteInputError`, a subclass of `SyntaxError`
    names = (base.__name__ for base in kind.__mro__ if vars(builtins).get(base.__name__) is base)
    return next(name for name in names if not name.startswith("_"))


def _kind(error: BaseException, text: str) -> str:
    if isinstance(error, Unanswerable):
        return error.kind
    if isinstance(error, NotImplementedError) and not text and _is_of_a_cell(error):
        return "not_implemented"
    if isinstance(error, MemoryError) or OUT_OF_MEMORY.search(text):
        return "out_of_memory"
    return "raised"


def _is_of_a_cell(error: NotImplementedError) -> bool:
    """Whether a cell itself raised the exception, and not a library that the cell called."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return CELL.match(frame.f_code.co_filename) is not None


def _place(error: BaseException) -> tuple[str | None, int | None]:
    if isinstance(error, SyntaxError):
        match = CELL.match(error.filename or "")
        return (match[1], error.lineno) if match else (None, error.lineno)
    place: tuple[str | None, int | None] = (None, None)
    for frame, line in traceback.walk_tb(error.__traceback__):
        if match := CELL.match(frame.f_code.co_filename):
            place = match[1], line
    return place
