"""Parse a candidate's descriptions of its modules and parameters; raise if one has another form."""

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
    """One module in a student's layer, as the candidate describes it. `identity`: a number, equal
    for one module under several names; `kinds`: the classes of torch.nn among its class and bases;
    `facts`: attributes such as `p` and `eps`; `stand_in`: the part that it stands in for, or None;
    `bias`: whether it has one.
    """

    name: str
    identity: int
    class_name: str
    kinds: tuple[str, ...]  # torch.nn's classes among its bases
    facts: dict[str, object]
    stand_in: str | None
    bias: bool

    def is_a(self, kind: str) -> bool:
        """Whether this module is an instance of `kind`, the name of a class of torch.nn, or of a
        subclass.
        """
        return kind in self.kinds


@contextlib.contextmanager
def parsing_untrusted() -> Iterator[None]:
    """Within this block, raise any exception as `ChannelError`: the candidate's answer does not
    have the expected form. If this process has no memory left, `MemoryError` is raised.
    """
    try:
        yield
    except Exception as error:  # whatever odd values make Python or torch raise
        raise_if_out_of_memory(error)
        raise ChannelError("an answer of another form") from error


def read_module(received: object) -> Module:
    """Parse a candidate's description of a module. Raise `ValueError` if it has another form."""
    match received:
        case {
            "name": str(name), "class": str(class_name), "kinds": list(kinds),
            "identity": int(identity), "facts": dict(facts), "bias": bool(bias),
            "stand_in": None | str() as stand_in,
        } if kinds and len(name) <= MAX_TEXT and all(isinstance(kind, str) for kind in kinds):  # fmt: skip
            return Module(name, identity, class_name, tuple(kinds), plain(facts), stand_in, bias)
    raise ValueError("no description of a module")


def read_parameter(received: object) -> Parameter:
    """Parse a candidate's description of a parameter. Raise `ValueError` if it has another form."""
    match received:
        case [str(name), int(identity), list(shape), bool(requires_grad)]:
            if len(name) <= MAX_TEXT and _is_shape(shape):
                return Parameter(name, identity, tuple(shape), requires_grad)
    raise ValueError("no description of a parameter")


def _is_shape(received: list) -> bool:
    return len(received) <= MAX_DIMS and all(type(n) is int and 0 <= n < MAX_SIZE for n in received)


def plain(received: dict) -> dict[str, object]:
    """Return a copy of `received`, a dict, in which every value that is no number, text or boolean
    is None.
    """
    simple = (bool, int, float, str)
    return {str(name): value if type(value) in simple else None for name, value in received.items()}


def few(described: list) -> list:
    """Return `described` unchanged. Raise `ValueError` if it is no list or has more than MAX_ITEMS
    items.
    """
    if not isinstance(described, list) or len(described) > MAX_ITEMS:
        raise ValueError("no list of descriptions, or too long a one")
    return described
