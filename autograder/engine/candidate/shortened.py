"""Bound the work of showing an exception of a submission's code: messages of many megabytes, long
chains of causes, groups of thousands, deep recursion.
"""

import re
from collections.abc import Iterator
from types import FunctionType, TracebackType

MAX_TEXT = 20_000  # characters of a message that are shown; torch writes up to a few thousand
MAX_ARGUMENTS = 100  # of an exception, that are its message
MAX_ITEMS = 1_000  # of a list or the like among them
MAX_CHAIN = 5  # exceptions that are shown of a chain of causes
MAX_GROUP = 50  # exceptions in a group that is shown
MAX_NOTES = 20  # that are shown of an exception
END_FRAMES = 15  # of a traceback, at either end
CELL = re.compile(r"<cell (.{1,200})>")  # the name of a file that is a cell


def message_of(error: BaseException) -> str:
    """Return the beginning of an exception's message, "" if a `__str__` of a cell writes it."""
    try:
        writer = type(error).__str__  # that of a cell may take as long as it wants
        if isinstance(writer, FunctionType) and CELL.match(writer.__code__.co_filename):
            return ""
        if not _has_large_arguments(error):
            return str(error)[:MAX_TEXT]
        return ", ".join(map(_beginning, error.args[:MAX_ARGUMENTS]))[:MAX_TEXT]
    except BaseException:  # of a `__str__` or `__repr__` that a student's code has put there
        return ""


def _has_large_arguments(error: BaseException) -> bool:
    return len(error.args) > MAX_ARGUMENTS or any(map(_is_large, error.args))


def _is_large(argument: object) -> bool:
    limit = MAX_TEXT if isinstance(argument, str | bytes) else MAX_ITEMS
    return isinstance(argument, str | bytes | list | tuple | set | dict) and len(argument) > limit


def _beginning(argument: object) -> str:
    if isinstance(argument, str):
        return argument[:MAX_TEXT]
    return f"{type(argument).__name__} of {len(argument)}" if _is_large(argument) else str(argument)  # type: ignore[arg-type]


def shortened(error: BaseException) -> BaseException:
    """Return `error`, or a short exception that looks like it if `error` is too large to be shown.

    The time to show the result does not grow with the message, notes, group or chain of causes. The
    traceback and the chain of `error` are cut in place.
    """
    result = last = _short(error)
    chain = [error]
    for number in range(MAX_CHAIN):
        is_cause = last.__cause__ is not None
        reason = last.__cause__ if is_cause else last.__context__
        if (
            reason is None
            or any(reason is link for link in chain)
            or last.__suppress_context__ > is_cause
        ):
            break
        chain.append(reason)
        reason = None if number == MAX_CHAIN - 1 else _short(reason)
        if is_cause:
            last.__cause__ = reason
        last.__context__ = reason
        if reason is None:
            break
        last = reason
    return result


def _short(error: BaseException) -> BaseException:
    """Return `error` with a short traceback or, if it is too large, an exception of the same name
    with the beginning of its message.
    """
    cut_the_middle_out(error.__traceback__)
    if not _is_too_large(error):
        return error
    kind = SyntaxError if isinstance(error, SyntaxError) else Exception
    name = type(error).__name__[:80]
    short = type(name, (kind,), {})(message_of(error) or "(too long)")
    short.__cause__, short.__context__ = error.__cause__, error.__context__
    short.__suppress_context__ = error.__suppress_context__
    return short.with_traceback(error.__traceback__)


def _is_too_large(error: BaseException) -> bool:
    if isinstance(error, SyntaxError) and len(f"{error.text}{error.filename}") > MAX_TEXT:
        return True
    notes = getattr(error, "__notes__", ())
    if len(notes) > MAX_NOTES or any(len(str(note)) > MAX_TEXT for note in notes):
        return True
    if isinstance(error, BaseExceptionGroup):
        return sum(1 for _ in zip(range(MAX_GROUP + 1), _inside(error), strict=False)) > MAX_GROUP
    return _has_large_arguments(error)


def _inside(group: BaseExceptionGroup) -> Iterator[BaseException]:
    todo: list[BaseException] = [group]
    while todo:
        error = todo.pop()
        yield error
        if isinstance(error, BaseExceptionGroup):
            todo += error.exceptions
        elif _is_too_large(error):  # as good as many
            yield from [error] * MAX_GROUP


def cut_the_middle_out(traceback: TracebackType | None) -> None:
    """Shorten a long traceback, in place, to its first and last END_FRAMES frames."""
    frames = []  # IPython takes 2 ms to show a frame, and a recursion has a thousand
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    if len(frames) > 2 * END_FRAMES:
        frames[END_FRAMES - 1].tb_next = frames[-END_FRAMES]
