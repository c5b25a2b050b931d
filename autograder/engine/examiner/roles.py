"""Find the role of each of a student's layers by name and shape, to load the reference's weights.

A layer has the role of the reference's layer of the same name, or else of the same shape. Among
layers of one shape, the names decide if they hint at a role, and last the order of registration.

    reference           shape     the student's, in order of registration
    query_transform     (8, 8)    w_k, w_q, w_v, out: by the aliases `w_q` is query_transform, ...
    layer_norm_1        (8,)      norms.0: no name hints at a role, so the first of them
    feed.linear1        (32, 8)   ff.0: the only layer of that shape
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import torch

from autograder.engine.examiner.owners import Owner, Parameter, last_name, owners
from autograder.engine.texts.patterns import Pattern

OTHER_SHAPES = (
    "`[p.shape for p in layer.parameters()]` lists more or fewer parameters of one shape than the "
    "statement has. Which sizes should they have, and is one missing, or one too many?"
)


def assign(
    state: Mapping[str, torch.Tensor],
    parameters: Iterable[Parameter],
    aliases: Mapping[str, str],
    strict: bool = True,
) -> dict[str, torch.Tensor]:
    """Return the reference's weights under the student's parameter names, ready to be loaded.

    `state`: the reference's `state_dict`. `parameters`: the student's. `aliases`: patterns of
    students' names for each of the reference's layers, by the reference's name.

    A bias that the reference does not have is set to zero, so that a needless bias costs only the
    points of its own check. Reference layers are left out if the student has no layer of their
    shape. So are the student's parameters that are not trained, such as a table of positions.

    With `strict`, raise `AssertionError` if the student has another number of layers of a shape
    than the reference, or if nothing can be loaded. Otherwise, such layers keep their weights.
    """
    reference = owners([(name, tuple(tensor.shape)) for name, tensor in state.items()])
    learned = {parameter.name: parameter for parameter in parameters if parameter.requires_grad}
    candidate = [
        replace(owner, identity=learned[owner.weight].identity)
        for owner in owners([(name, parameter.shape) for name, parameter in learned.items()])
    ]
    loads: dict[str, torch.Tensor] = {}
    for reference_owner, student_owner in _pairs(reference, candidate, aliases, state, strict):
        loads[student_owner.weight] = state[reference_owner.weight]
        if student_owner.bias:
            loads[student_owner.bias] = (
                state[reference_owner.bias]
                if reference_owner.bias
                else torch.zeros(learned[student_owner.bias].shape)
            )
    if strict and reference and candidate and not loads:
        raise AssertionError(OTHER_SHAPES)
    return loads


def _pairs(
    reference: list[Owner],
    candidate: list[Owner],
    aliases: Mapping[str, str],
    state: Mapping[str, torch.Tensor],
    strict: bool,
) -> Iterable[tuple[Owner, Owner]]:
    """Yield (reference owner, student's owner) for every role that the student's layers have.

    Raise `AssertionError` if `strict` and the two have different numbers of layers of a kind.
    """
    for kind in dict.fromkeys(owner.kind for owner in reference):
        reference_owners = [owner for owner in reference if owner.kind == kind]
        student_owners = [owner for owner in candidate if owner.kind == kind]
        if not student_owners:
            continue
        by_path = {owner.path: owner for owner in student_owners}
        if all(owner.path in by_path for owner in reference_owners):
            yield from ((owner, by_path[owner.path]) for owner in reference_owners)
            continue
        student_owners = _distinct(student_owners, aliases)
        if len(student_owners) == 1 and _all_alike(reference_owners, state):
            yield reference_owners[0], student_owners[0]
        elif len(reference_owners) != len(student_owners):
            if strict:
                raise AssertionError(OTHER_SHAPES)
        else:
            yield from zip(
                reference_owners, _ordered(reference_owners, student_owners, aliases), strict=True
            )


def _distinct(student_owners: list[Owner], aliases: Mapping[str, str]) -> list[Owner]:
    """Return each of the student's layers once, preferably under a name that hints at a role."""
    distinct: dict[int, Owner] = {}
    for owner in student_owners:
        current = distinct.setdefault(owner.identity, owner)
        if hint(owner.path, aliases) and not hint(current.path, aliases):
            distinct[owner.identity] = owner
    return list(distinct.values())


def _all_alike(reference_owners: list[Owner], state: Mapping[str, torch.Tensor]) -> bool:
    first = reference_owners[0]
    return all(
        torch.equal(state[owner.weight], state[first.weight])
        and (not owner.bias or torch.equal(state[owner.bias], state[first.bias or ""]))
        for owner in reference_owners
    )


def _ordered(
    reference_owners: list[Owner], student_owners: list[Owner], aliases: Mapping[str, str]
) -> list[Owner]:
    """Return the student's owners in the order of the reference's.

    A name that hints at a role decides. The others follow in order of registration.
    """
    hinted: dict[str, list[Owner]] = defaultdict(list)
    for owner in student_owners:
        hinted[hint(owner.path, aliases)].append(owner)
    expected: dict[str, list[Owner]] = defaultdict(list)
    for owner in reference_owners:
        expected[last_name(owner.path)].append(owner)
    clear = {role for role, owners in expected.items() if len(hinted[role]) == len(owners)}
    queues = {role: iter(hinted[role]) for role in clear}
    remaining = iter([owner for owner in student_owners if hint(owner.path, aliases) not in clear])
    return [next(queues.get(last_name(owner.path), remaining)) for owner in reference_owners]


def hint(path: str, aliases: Mapping[str, str]) -> str:
    """Return the only role that the last part of a dotted name hints at, or "".

    `aliases`: patterns of names, by role.
    """
    name = last_name(path)
    roles = [role for role, pattern in aliases.items() if Pattern(f"(?i){pattern}").fullmatch(name)]
    return roles[0] if len(roles) == 1 else ""
