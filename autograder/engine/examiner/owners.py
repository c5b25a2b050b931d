"""Group the parameters of a layer by their owner, such as a linear layer with weight and bias."""

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
    """The weight and the bias, if any, of a Linear, a norm or a convolution, or one parameter."""

    path: str  # the dotted name of the layer
    weight: str  # the parameter's name
    bias: str | None  # the parameter's name
    shape: tuple[int, ...]  # of the weight, without axes of size one
    identity: int = 0  # of the weight: equal for one layer under two names

    @property
    def kind(self) -> tuple:
        """The shape of the weight and, for a vector, whether there is a bias.

        Only owners with equal kinds can have the same role.
        """
        return self.shape, len(self.shape) == 1 and self.bias is not None


def owners(parameters: list[tuple[str, tuple[int, ...]]]) -> list[Owner]:
    """Group parameters, given as (name, shape), by the layer that owns them.

    A parameter that fits no usual kind of layer is its own owner.
    """
    by_path: dict[str, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for name, shape in parameters:
        by_path[name.rpartition(".")[0]].append((name, _squeezed(shape)))
    return [owner for path, members in by_path.items() for owner in _owners_at(path, members)]


def _owners_at(path: str, members: list[tuple[str, tuple[int, ...]]]) -> Iterable[Owner]:
    vectors = [name for name, shape in members if len(shape) == 1]
    weights = [(name, shape) for name, shape in members if len(shape) > 1]
    if len(weights) == 1 and (not vectors or _is_bias(vectors, members)):  # a Linear, a convolution
        ((name, shape),) = weights
        yield Owner(path, name, vectors[0] if vectors else None, shape)
    # a norm's scale and shift
    elif len(members) == 2 and len(vectors) == 2 and members[0][1] == members[1][1]:
        scale, shift = vectors
        if SCALES.match(last_name(shift)) or SHIFTS.match(last_name(scale)):
            scale, shift = shift, scale
        yield Owner(path, scale, shift, members[0][1])
    elif len(members) == 1:  # an RMSNorm's scale
        ((name, shape),) = members
        yield Owner(path, name, None, shape)
    else:  # parameters that a module made by itself
        yield from (Owner(name, name, None, shape) for name, shape in members)


def _is_bias(vectors: list[str], members: list[tuple[str, tuple[int, ...]]]) -> bool:
    """Whether the first vector is the bias of the weight beside it, and the only vector.

    A bias is as long as one axis of the weight, and is not named like a scale.
    """
    name, shapes = last_name(vectors[0]), dict(members)
    (length,) = shapes[vectors[0]]
    fits = any(length in shape for shape in shapes.values() if len(shape) > 1)
    added = SHIFTS.match(name) is not None or SCALES.match(name) is None
    return len(vectors) == 1 and fits and added


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    # some students write a norm's scale as (1, 1, d_model)
    return tuple(size for size in shape if size != 1)


def last_name(path: str) -> str:
    """Return the last part of a dotted name."""
    return path.rpartition(".")[2]
