"""Find the possible roles of a student's parameters if their names hint at no role.

    the reference           the student's                        possible roles
    layer_norm_1.weight     apple (8,), birch (8,)               apple is the weight, birch the bias;
    layer_norm_1.bias                                            birch is the weight, apple the bias
    query_transform, ...    m.0, m.1, m.2, m.3 (8, 8)            all 24 orders

The layer is asked with each of these, and keeps the roles with which it answers like the reference,
see `Layer.load_like`.
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
    """The location of a reference's tensor in a student's parameter, which may hold several."""

    parameter: str
    place: int = 0  # index among the tensors of the parameter
    turned: bool = False  # transposed


@dataclass(frozen=True)
class Roles:
    """The slots of the reference's tensors in a student's parameters.

    Tensors without a slot are found by name. A bias in `needless` becomes zero.
    """

    slots: Mapping[str, Slot] = field(default_factory=dict)
    needless: frozenset[str] = frozenset()

    def loads(
        self,
        state: Mapping[str, torch.Tensor],
        parameters: Sequence[Parameter],
        aliases: Mapping[str, str],
        strict: bool,
    ) -> dict[str, torch.Tensor]:
        """Return the reference's weights under the student's parameter names.

        The arguments and the errors are those of `roles.assign`.
        """
        filled = {slot.parameter for slot in self.slots.values()} | self.needless
        unslotted = {name: tensor for name, tensor in state.items() if name not in self.slots}
        unfilled = [parameter for parameter in parameters if parameter.name not in filled]
        loads = assign(unslotted, unfilled, aliases, strict)
        parts: dict[str, dict[int, torch.Tensor]] = defaultdict(dict)
        for name, slot in self.slots.items():
            if name in state:
                parts[slot.parameter][slot.place] = state[name].T if slot.turned else state[name]
        shapes = {parameter.name: parameter.shape for parameter in parameters}
        for name, tensors in parts.items():
            loads[name] = _together([tensors[place] for place in sorted(tensors)], shapes[name])
        return loads | {name: torch.zeros(shapes[name]) for name in self.needless}


BY_NAME = Roles()


def ways(
    state: Mapping[str, torch.Tensor], parameters: Sequence[Parameter], aliases: Mapping[str, str]
) -> list[Roles]:
    """Return the possible roles of a student's parameters, at most MOST_WAYS.

    The roles by name and order of registration come first. They are the only ones if names tell
    all roles, or if the number of parameters differs from the reference. `state`: the reference's
    `state_dict`. `aliases`: patterns of students' names for each of the reference's layers, by the
    reference's name.
    """
    reference = owners([(name, tuple(tensor.shape)) for name, tensor in state.items()])
    learned = list({p.identity: p for p in parameters if p.requires_grad}.values())
    student_owners = owners([(parameter.name, parameter.shape) for parameter in learned])
    vectors = list(_vector_ways(reference, student_owners, state, learned))
    squares = list(_square_ways(reference, student_owners, aliases))
    both = (
        Roles(
            {**vector_roles.slots, **square_roles.slots},
            vector_roles.needless | square_roles.needless,
        )
        for vector_roles in vectors or [BY_NAME]
        for square_roles in squares or [BY_NAME]
    )
    return [BY_NAME, *itertools.islice(both, MOST_WAYS)] if vectors or squares else [BY_NAME]


def _vector_ways(
    reference: Sequence[Owner],
    student_owners: Sequence[Owner],
    state: Mapping[str, torch.Tensor],
    learned: Sequence[Parameter],
) -> Iterator[Roles]:
    """Yield the possible roles of the gains and shifts of norms, which may share a parameter.

    Tensors that are equal in the reference are interchangeable.
    """
    norms = [owner for owner in reference if len(owner.shape) == 1]
    names = [name for owner in norms for name in (owner.weight, owner.bias) if name]
    student_names = {parameter.name for parameter in learned}
    if len(names) < 2 or student_names.issuperset(names) or _are_told(student_owners, len(norms)):
        return
    (length,) = norms[0].shape
    # biases of linear layers
    beside = {owner.bias for owner in student_owners if len(owner.shape) > 1}
    slots = [
        Slot(parameter.name, place)
        for parameter in learned
        if parameter.name not in beside
        for place in range(_count(parameter.shape, length, len(names)))
    ]
    same = {name: next(n for n in names if torch.equal(state[n], state[name])) for name in names}
    tried = set()
    for order in _orders(names, len(slots)):
        values = tuple(same[name] for name in order)
        if values not in tried:
            tried.add(values)
            yield Roles(dict(zip(order, slots, strict=True)))


def _square_ways(
    reference: Sequence[Owner], student_owners: Sequence[Owner], aliases: Mapping[str, str]
) -> Iterator[Roles]:
    """Yield the possible roles of matrices of a square shape, which may share a parameter."""
    reference_squares = [
        owner for owner in reference if len(owner.shape) == 2 and len({*owner.shape}) == 1
    ]
    student_squares = [
        owner
        for owner in student_owners
        if reference_squares and _squares_in(owner.shape, reference_squares[0].shape[0])
    ]
    roles = Counter(last_name(owner.path) for owner in reference_squares)
    hints = Counter(hint(owner.path, aliases) for owner in student_squares)
    is_told = {owner.path for owner in student_squares}.issuperset(
        owner.path for owner in reference_squares
    )
    if len(roles) < 2 or is_told or hints == roles:
        return
    needless = frozenset(owner.bias for owner in student_squares if owner.bias)
    slots = [
        Slot(owner.weight, place)
        for owner in student_squares
        for place in range(_squares_in(owner.shape, reference_squares[0].shape[0]))
    ]
    turned = [slot._replace(turned=not slot.parameter.endswith("weight")) for slot in slots]
    for order in _orders([owner.weight for owner in reference_squares], len(slots)):
        # x @ matrix, or as in Linear
        for choice in (turned, slots) if turned != slots else (slots,):
            yield Roles(dict(zip(order, choice, strict=True)), needless)


def _orders(names: Sequence[str], count: int) -> Iterator[list[str]]:
    """Yield the orders in which a student may keep these tensors, with one order for all blocks of
    a stack.

    There are none if the student has another number of tensors (`count`).
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
    """Return the block of this parameter in a stack, such as `layers.0`, or ""."""
    parts = name.split(".")
    numbers = [place for place, part in enumerate(parts) if part.isdecimal()]
    return ".".join(parts[: numbers[0] + 1]) if numbers else ""


def _are_told(student_owners: Sequence[Owner], count: int) -> bool:
    norms = [owner for owner in student_owners if len(owner.shape) == 1]
    return len(norms) == count and all(
        (last_name(owner.weight), last_name(owner.bias or "")) in USUAL for owner in norms
    )


def _count(shape: Sequence[int], length: int, max_count: int) -> int:
    """Return the number of vectors of this length in a parameter, or 0 for something else."""
    sizes = [size for size in shape if size != 1]
    if len(sizes) == 1 and sizes[0] % length == 0:
        return sizes[0] // length
    if len(sizes) == 2 and length in sizes and sum(sizes) - length <= max_count:
        return sum(sizes) - length
    return 0


def _squares_in(shape: tuple[int, ...], size: int) -> int:
    """Return the number of square matrices of this size in a parameter, or 0 for something else.

    They may stand side by side, above each other, or along an axis of their own.
    """
    count, remainder = divmod(math.prod(shape), size**2)
    is_square = len(shape) > 1 and shape.count(size) >= len(shape) - 1
    return count if is_square and not remainder else 0


def _together(tensors: Sequence[torch.Tensor], shape: Sequence[int]) -> torch.Tensor:
    if len(tensors) == 1:
        return tensors[0].reshape(tuple(shape))
    if tensors[0].dim() == 2 and len(shape) == 2:
        return torch.cat(list(tensors), dim=int(shape[0] == len(tensors[0])))
    sizes = [size for size in shape if size != 1]
    is_turned = len(sizes) == 2 and sizes[1] != len(tensors[0])
    stacked = torch.stack(list(tensors))
    return (stacked.T if is_turned else stacked).reshape(tuple(shape))
