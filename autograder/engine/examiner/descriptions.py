"""Parse a candidate's descriptions of its modules and parameters strictly."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine.candidate.frames import MAX_DIMS, ChannelError
from autograder.engine.examiner.bounds import MAX_TEXT
from autograder.engine.examiner.owners import Parameter
from autograder.engine.limits.memory import raise_if_out_of_memory

MAX_ITEMS = 150  # modules or parameters of a layer, as in the candidate's `describe.py`
MAX_SIZE = 1 << 24  # of a parameter, along an axis


@dataclass(frozen=True)
class Module:
    """One module in a student's layer, as the candidate describes it."""

    name: str
    identity: int  # equal for one module under several names
    class_name: str
    kinds: tuple[str, ...]  # torch.nn's classes among its class and bases
    facts: dict[str, object]  # attributes such as `p` and `eps`
    stand_in: str | None  # the part that it stands in for
    bias: bool  # whether it has one

    def is_a(self, kind: str) -> bool:
        """Whether this module is an instance of `kind`, the name of a class of torch.nn."""
        return kind in self.kinds


@contextlib.contextmanager
def parsing_untrusted() -> Iterator[None]:
    """Within this block, raise any exception as `ChannelError`: the answer has another form.

    If this process has no memory left, `MemoryError` is raised.
    """
    try:
        yield
    except Exception as error:  # odd values make Python or torch raise anything
        raise_if_out_of_memory(error)
        raise ChannelError("an answer of another form") from error


def read_module(received: object) -> Module:
    """Parse a candidate's description of a module. Raise `ValueError` for another form."""
    match received:
        case {
            "name": str(name), "class": str(class_name), "kinds": list(kinds),
            "identity": int(identity), "facts": dict(facts), "bias": bool(bias),
            "stand_in": None | str() as stand_in,
        } if kinds and len(name) <= MAX_TEXT and all(isinstance(kind, str) for kind in kinds):  # fmt: skip
            return Module(name, identity, class_name, tuple(kinds), plain(facts), stand_in, bias)
    raise ValueError("no description of a module")


def read_parameter(received: object) -> Parameter:
    """Parse a candidate's description of a parameter. Raise `ValueError` for another form."""
    match received:
        case [str(name), int(identity), list(shape), bool(requires_grad)]:
            if len(name) <= MAX_TEXT and _is_shape(shape):
                return Parameter(name, identity, tuple(shape), requires_grad)
    raise ValueError("no description of a parameter")


def _is_shape(received: list) -> bool:
    return len(received) <= MAX_DIMS and all(type(n) is int and 0 <= n < MAX_SIZE for n in received)


def plain(received: dict) -> dict[str, object]:
    """Return a copy of the dict with None for every value except numbers, texts and booleans."""
    simple = (bool, int, float, str)
    return {str(name): value if type(value) in simple else None for name, value in received.items()}


def few(described: list) -> list:
    """Return `described`. Raise `ValueError` unless it is a list of at most MAX_ITEMS items."""
    if not isinstance(described, list) or len(described) > MAX_ITEMS:
        raise ValueError("no list of descriptions, or too long a one")
    return described
