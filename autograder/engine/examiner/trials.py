"""Ways to load a reference's weights where names do not tell the roles of a student's parameters.

    the reference           the student's                        ways
    layer_norm_1.weight     apple (8,), birch (8,)               apple is the weight, birch the bias;
    layer_norm_1.bias                                            birch is the weight, apple the bias
    query_transform, ...    m.0, m.1, m.2, m.3 (8, 8)            all 24 orders

The layer is asked with each, and keeps the one with which it answers like the reference: see
`Layer.load_like`.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch

from autograder.engine.examiner.owners import Owner, Parameter, last_name, owners
from autograder.engine.examiner.roles import assign, hint

MOST_WAYS = 400
USUAL = ("weight", "bias"), ("gamma", "beta")


class Slot(NamedTuple):
    """Where a student keeps one of the reference's tensors: in a parameter of its own, or in one
    with others, as the part with this place; `turned`: as the transposed matrix.
    """

    parameter: str
    place: int = 0
    turned: bool = False


@dataclass(frozen=True)
class Roles:
    """Where a student keeps the reference's tensors; those without a slot are found by name. A bias
    in `needless` becomes zero.
    """

    slots: Mapping[str, Slot] = field(default_factory=dict)
    needless: frozenset[str] = frozenset()

    def loads(
        self,
        state: Mapping[str, torch.Tensor],
        theirs: Sequence[Parameter],
        aliases: Mapping[str, str],
        strict: bool,
    ) -> dict[str, torch.Tensor]:
        """Return the reference's weights under the student's parameter names. The arguments and the
        errors are those of `roles.assign`.
        """
        filled = {slot.parameter for slot in self.slots.values()} | self.needless
        rest = {name: tensor for name, tensor in state.items() if name not in self.slots}
        others = [one for one in theirs if one.name not in filled]
        loads = assign(rest, others, aliases, strict)
        parts: dict[str, dict[int, torch.Tensor]] = defaultdict(dict)
        for name, slot in self.slots.items():
            if name in state:
                parts[slot.parameter][slot.place] = state[name].T if slot.turned else state[name]
        shapes = {one.name: one.shape for one in theirs}
        for name, tensors in parts.items():
            loads[name] = _together([tensors[place] for place in sorted(tensors)], shapes[name])
        return loads | {name: torch.zeros(shapes[name]) for name in self.needless}


BY_NAME = Roles()


def ways(
    state: Mapping[str, torch.Tensor], theirs: Sequence[Parameter], aliases: Mapping[str, str]
) -> list[Roles]:
    """Return the possible roles of a student's parameters, at most MOST_WAYS: first those by name
    and order of registration. They are the only ones where names tell all, or where there are not
    as many parameters as in the reference.

    `state`: the reference's `state_dict`; `theirs`: the student's parameters; `aliases`: patterns
    of what students call the reference's layers, by the reference's name.
    """
    reference = owners([(name, tuple(tensor.shape)) for name, tensor in state.items()])
    learned = list({one.identity: one for one in theirs if one.requires_grad}.values())
    made = owners([(one.name, one.shape) for one in learned])
    vectors = list(_vector_ways(reference, made, state, learned))
    squares = list(_square_ways(reference, made, aliases))
    both = (
        Roles({**one.slots, **other.slots}, one.needless | other.needless)
        for one in vectors or [BY_NAME]
        for other in squares or [BY_NAME]
    )
    return [BY_NAME, *itertools.islice(both, MOST_WAYS)] if vectors or squares else [BY_NAME]


def _vector_ways(
    reference: Sequence[Owner],
    made: Sequence[Owner],
    state: Mapping[str, torch.Tensor],
    learned: Sequence[Parameter],
) -> Iterator[Roles]:
    """Yield the ways to tell the gains and shifts of norms, which may be kept together. Of tensors
    that are equal in the reference it does not matter which is which.
    """
    norms = [one for one in reference if len(one.shape) == 1]
    names = [name for one in norms for name in (one.weight, one.bias) if name]
    own = {one.name for one in learned}
    if len(names) < 2 or own.issuperset(names) or _are_told(made, len(norms)):
        return
    (length,) = norms[0].shape
    beside = {one.bias for one in made if len(one.shape) > 1}  # biases of linear layers
    slots = [
        Slot(one.name, place)
        for one in learned
        if one.name not in beside
        for place in range(_count(one.shape, length, len(names)))
    ]
    same = {name: next(n for n in names if torch.equal(state[n], state[name])) for name in names}
    tried = set()
    for order in _orders(names, len(slots)):
        values = tuple(same[name] for name in order)
        if values not in tried:
            tried.add(values)
            yield Roles(dict(zip(order, slots, strict=True)))


def _square_ways(
    reference: Sequence[Owner], made: Sequence[Owner], aliases: Mapping[str, str]
) -> Iterator[Roles]:
    """Yield the ways to tell matrices of one square shape, which may be kept together."""
    ours = [one for one in reference if len(one.shape) == 2 and len({*one.shape}) == 1]
    theirs = [one for one in made if ours and _squares_in(one.shape, ours[0].shape[0])]
    roles = Counter(last_name(one.path) for one in ours)
    hints = Counter(hint(one.path, aliases) for one in theirs)
    is_told = {one.path for one in theirs}.issuperset(one.path for one in ours)
    if len(roles) < 2 or is_told or hints == roles:
        return
    needless = frozenset(one.bias for one in theirs if one.bias)
    slots = [
        Slot(one.weight, place)
        for one in theirs
        for place in range(_squares_in(one.shape, ours[0].shape[0]))
    ]
    turned = [slot._replace(turned=not slot.parameter.endswith("weight")) for slot in slots]
    for order in _orders([one.weight for one in ours], len(slots)):
        for kept in (turned, slots) if turned != slots else (slots,):  # x @ matrix, or as in Linear
            yield Roles(dict(zip(order, kept, strict=True)), needless)


def _orders(names: Sequence[str], count: int) -> Iterator[list[str]]:
    """Yield the orders in which a student may keep the reference's tensors with these names; none if
    the student has another number of them (`count`). In a stack all blocks have one order.
    """
    blocks: dict[str, list[str]] = defaultdict(list)
    for name in names:
        blocks[_block_of(name)].append(name)
    sizes = {len(block) for block in blocks.values()}
    if count != len(names) or len(sizes) > 1:
        return
    for order in itertools.permutations(range(sizes.pop())):
        yield [block[place] for block in blocks.values() for place in order]


def _block_of(name: str) -> str:
    """Return which block of a stack has the parameter with this name, as `layers.0`; "" if none."""
    parts = name.split(".")
    numbers = [place for place, part in enumerate(parts) if part.isdecimal()]
    return ".".join(parts[: numbers[0] + 1]) if numbers else ""


def _are_told(made: Sequence[Owner], count: int) -> bool:
    """Whether the student has so many norms whose parameters have the usual names."""
    norms = [one for one in made if len(one.shape) == 1]
    return len(norms) == count and all(
        (last_name(one.weight), last_name(one.bias or "")) in USUAL for one in norms
    )


def _count(shape: Sequence[int], length: int, most: int) -> int:
    """Return how many vectors of this length a parameter holds; 0 if it holds something else."""
    sizes = [size for size in shape if size != 1]
    if len(sizes) == 1 and sizes[0] % length == 0:
        return sizes[0] // length
    if len(sizes) == 2 and length in sizes and sum(sizes) - length <= most:
        return sum(sizes) - length
    return 0


def _squares_in(shape: tuple[int, ...], size: int) -> int:
    """Return how many square matrices of this size a parameter holds: side by side, above each
    other, or along an axis of their own; 0 if it holds something else.
    """
    count, rest = divmod(math.prod(shape), size**2)
    is_square = len(shape) > 1 and shape.count(size) >= len(shape) - 1
    return count if is_square and not rest else 0


def _together(tensors: Sequence[torch.Tensor], shape: Sequence[int]) -> torch.Tensor:
    """Return one tensor of this shape that holds these."""
    if len(tensors) == 1:
        return tensors[0].reshape(tuple(shape))
    if tensors[0].dim() == 2 and len(shape) == 2:
        return torch.cat(list(tensors), dim=int(shape[0] == len(tensors[0])))
    sizes = [size for size in shape if size != 1]
    is_turned = len(sizes) == 2 and sizes[1] != len(tensors[0])
    stacked = torch.stack(list(tensors))
    return (stacked.T if is_turned else stacked).reshape(tuple(shape))
