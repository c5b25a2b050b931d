"""Parse a candidate's descriptions of its layers; any other form raises."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine.candidate.channel import MAX_DIMS, ChannelError
from autograder.engine.examiner.bounds import MAX_TEXT
from autograder.engine.examiner.roles import Parameter
from autograder.engine.limits.memory import raise_if_out_of_memory

MAX_ITEMS = 150  # modules or parameters of a layer, as in the candidate's `describe.py`
MAX_SIZE = 1 << 24  # of a parameter, along an axis


@dataclass(frozen=True)
class Module:
    """One module in a candidate's layer, as the candidate describes it."""

    name: str
    identity: int
    class_name: str
    kinds: tuple[str, ...]  # torch.nn's classes among its bases
    facts: dict[str, object]
    stand_in: str | None
    bias: bool

    def is_a(self, kind: str) -> bool:
        """Whether this is a module of that class of torch.nn, or of a subclass."""
        return kind in self.kinds


@contextlib.contextmanager
def parsing_untrusted() -> Iterator[None]:
    """Within this block, raise any exception as `ChannelError`: the answer has another form."""
    try:
        yield
    except Exception as error:  # whatever odd values make Python or torch raise
        raise_if_out_of_memory(error)
        raise ChannelError("an answer of another form") from error


def read_module(received: object) -> Module:
    """Parse the description of a module. Raises `ValueError` for another form."""
    match received:
        case {
            "name": str(name), "class": str(class_name), "kinds": list(kinds),
            "identity": int(identity), "facts": dict(facts), "bias": bool(bias),
            "stand_in": None | str() as stand_in,
        } if kinds and len(name) <= MAX_TEXT and all(isinstance(kind, str) for kind in kinds):  # fmt: skip
            return Module(name, identity, class_name, tuple(kinds), plain(facts), stand_in, bias)
    raise ValueError("no description of a module")


def read_parameter(received: object) -> Parameter:
    """Parse the description of a parameter. Raises `ValueError` for another form."""
    match received:
        case [str(name), int(identity), list(shape), bool(requires_grad)]:
            if len(name) <= MAX_TEXT and _is_shape(shape):
                return Parameter(name, identity, tuple(shape), requires_grad)
    raise ValueError("no description of a parameter")


def _is_shape(received: list) -> bool:
    return len(received) <= MAX_DIMS and all(type(n) is int and 0 <= n < MAX_SIZE for n in received)


def plain(received: dict) -> dict[str, object]:
    """Return numbers, texts and booleans by name; any other value becomes None."""
    simple = (bool, int, float, str)
    return {str(name): value if type(value) in simple else None for name, value in received.items()}


def few(described: list) -> list:
    """Return the descriptions. Raises `ValueError` if this is no list, or longer than MAX_ITEMS."""
    if not isinstance(described, list) or len(described) > MAX_ITEMS:
        raise ValueError("no list of descriptions, or too long a one")
    return described
