"""Group the parameters of a layer by the part that owns them, such as a linear layer's weight and bias."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.engine.texts.patterns import Pattern

SCALES = Pattern(r"(?i)(gamma|scale|gain|weight|alpha|a_?\d?|g|w)$")
SHIFTS = Pattern(r"(?i)(beta|shift|offset|bias|b_?\d?)$")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a student's module, as the candidate describes it."""

    name: str
    identity: int
    shape: tuple[int, ...]
    requires_grad: bool


@dataclass(frozen=True)
class Owner:
    """A weight with its bias, if it has one: those of a Linear, a norm or a convolution, or a
    single parameter.

    `path`: the dotted name of the layer that has them; `weight` and `bias`: the names of the
    parameters; `shape`: that of the weight, without axes of size one; `identity`: a number, equal
    for one layer under two names.
    """

    path: str
    weight: str
    bias: str | None
    shape: tuple[int, ...]  # of the weight, without axes of size one
    identity: int = 0  # of the weight: equal for one layer under two names

    @property
    def kind(self) -> tuple:
        """The shape of the weight and, if that is a vector, whether there is a bias. Only owners
        with equal kinds can have the same role.
        """
        return self.shape, len(self.shape) == 1 and self.bias is not None


def owners(parameters: list[tuple[str, tuple[int, ...]]]) -> list[Owner]:
    """Group parameters, given as (name, shape), by the layer that holds them, such as a linear
    layer's weight and bias; return each layer once, as its `Owner`.

    A parameter that fits no usual kind of layer is its own owner.
    """
    by_path: dict[str, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for name, shape in parameters:
        by_path[name.rpartition(".")[0]].append((name, _squeezed(shape)))
    return [owner for path, own in by_path.items() for owner in _owners_at(path, own)]


def _owners_at(path: str, own: list[tuple[str, tuple[int, ...]]]) -> Iterable[Owner]:
    """Yield the owners among `own`, the parameters of the module with the name `path`, given as
    (name, shape).
    """
    vectors = [name for name, shape in own if len(shape) == 1]
    weights = [(name, shape) for name, shape in own if len(shape) > 1]
    if len(weights) == 1 and (not vectors or _is_bias(vectors, own)):  # a Linear, a convolution
        ((name, shape),) = weights
        yield Owner(path, name, vectors[0] if vectors else None, shape)
    elif len(own) == 2 and len(vectors) == 2 and own[0][1] == own[1][1]:  # a norm's scale and shift
        scale, shift = vectors
        if SCALES.match(last_name(shift)) or SHIFTS.match(last_name(scale)):
            scale, shift = shift, scale
        yield Owner(path, scale, shift, own[0][1])
    elif len(own) == 1:  # an RMSNorm's scale
        ((name, shape),) = own
        yield Owner(path, name, None, shape)
    else:  # parameters that a module made by itself
        yield from (Owner(name, name, None, shape) for name, shape in own)


def _is_bias(vectors: list[str], own: list[tuple[str, tuple[int, ...]]]) -> bool:
    """Whether the only vector is the bias of the weight beside it: as long as one axis of the
    weight, and not named like a scale.

    `vectors`: the names of the vectors; `own`: all parameters of the module as (name, shape).
    """
    name, shapes = last_name(vectors[0]), dict(own)
    (length,) = shapes[vectors[0]]
    fits = any(length in shape for shape in shapes.values() if len(shape) > 1)
    added = SHIFTS.match(name) is not None or SCALES.match(name) is None
    return len(vectors) == 1 and fits and added


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape without axes of size one: some write a norm's scale as (1, 1, d_model)."""
    return tuple(size for size in shape if size != 1)


def last_name(path: str) -> str:
    """Return the last part of a dotted name."""
    return path.rpartition(".")[2]
