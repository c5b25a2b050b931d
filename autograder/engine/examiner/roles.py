"""Find the role of each of a student's layers, whatever it is called, to load the reference's
weights.

A layer has the role of the reference's layer of the same name; else of one with the same shape.
Among layers of one shape, the names decide if they hint at a role, and last the order of
registration.

    reference           shape     the student's, in order of registration
    query_transform     (8, 8)    w_k, w_q, w_v, out: by the aliases `w_q` is query_transform, ...
    layer_norm_1        (8,)      norms.0: no name hints at a role, so the first of them
    feed.linear1        (32, 8)   ff.0: the only one of that shape
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
    theirs: Iterable[Parameter],
    aliases: Mapping[str, str],
    strict: bool = True,
) -> dict[str, torch.Tensor]:
    """Return the reference's weights under the student's parameter names, ready to be loaded.

    `state`: the reference's `state_dict`; `theirs`: the student's parameters; `aliases`: patterns
    of what students call the reference's layers, by the reference's name.

    A bias that the reference does not have is set to zero, so that a needless bias costs only the
    points of its own check. Reference layers are left out if the student has no layer of their
    shape. So are the student's parameters that are not trained, such as a table of positions.

    With `strict`, raise `AssertionError` if the student has another number of layers of one shape
    than the reference, or if nothing can be loaded. Otherwise, such layers keep their weights.
    """
    reference = owners([(name, tuple(tensor.shape)) for name, tensor in state.items()])
    learned = {parameter.name: parameter for parameter in theirs if parameter.requires_grad}
    candidate = [
        replace(owner, identity=learned[owner.weight].identity)
        for owner in owners([(name, parameter.shape) for name, parameter in learned.items()])
    ]
    loads: dict[str, torch.Tensor] = {}
    for ours, own in _pairs(reference, candidate, aliases, state, strict):
        loads[own.weight] = state[ours.weight]
        if own.bias:
            loads[own.bias] = (
                state[ours.bias] if ours.bias else torch.zeros(learned[own.bias].shape)
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
    `state`: the reference's `state_dict`; `aliases`: patterns of names, by role. Raise
    `AssertionError` if `strict` and the two have different numbers of layers of one kind.
    """
    for kind in dict.fromkeys(owner.kind for owner in reference):
        ours = [owner for owner in reference if owner.kind == kind]
        theirs = [owner for owner in candidate if owner.kind == kind]
        if not theirs:
            continue
        by_path = {owner.path: owner for owner in theirs}
        if all(owner.path in by_path for owner in ours):
            yield from ((owner, by_path[owner.path]) for owner in ours)
            continue
        theirs = _distinct(theirs, aliases)
        if len(theirs) == 1 and _all_alike(ours, state):
            yield ours[0], theirs[0]
        elif len(ours) != len(theirs):
            if strict:
                raise AssertionError(OTHER_SHAPES)
        else:
            yield from zip(ours, _ordered(ours, theirs, aliases), strict=True)


def _distinct(theirs: list[Owner], aliases: Mapping[str, str]) -> list[Owner]:
    """Return each of the student's layers, `theirs`, once. A layer with several names is returned
    under one that hints at a role, if there is one.

    `aliases`: patterns of names, by role.
    """
    distinct: dict[int, Owner] = {}
    for owner in theirs:
        known = distinct.setdefault(owner.identity, owner)
        if hint(owner.path, aliases) and not hint(known.path, aliases):
            distinct[owner.identity] = owner
    return list(distinct.values())


def _all_alike(ours: list[Owner], state: Mapping[str, torch.Tensor]) -> bool:
    """Whether all of `ours`, at least one owner of a weight and perhaps a bias in the reference,
    have the same weight and the same bias as the first one. `state`: the reference's `state_dict`,
    which has their values by name.
    """
    first = ours[0]
    return all(
        torch.equal(state[owner.weight], state[first.weight])
        and (not owner.bias or torch.equal(state[owner.bias], state[first.bias or ""]))
        for owner in ours
    )


def _ordered(ours: list[Owner], theirs: list[Owner], aliases: Mapping[str, str]) -> list[Owner]:
    """Return the student's owners, `theirs`, in the order of the reference's, `ours`. A name that
    hints at a role decides; the others follow in order of registration.

    `aliases`: patterns of names, by role.
    """
    hinted: dict[str, list[Owner]] = defaultdict(list)
    for owner in theirs:
        hinted[hint(owner.path, aliases)].append(owner)
    wanted: dict[str, list[Owner]] = defaultdict(list)
    for owner in ours:
        wanted[last_name(owner.path)].append(owner)
    clear = {role for role, owners in wanted.items() if len(hinted[role]) == len(owners)}
    queues = {role: iter(hinted[role]) for role in clear}
    rest = iter([owner for owner in theirs if hint(owner.path, aliases) not in clear])
    return [next(queues.get(last_name(owner.path), rest)) for owner in ours]


def hint(path: str, aliases: Mapping[str, str]) -> str:
    """Return the role that the last part of a dotted name hints at; "" if it hints at none or at
    several.

    `aliases`: patterns of names, by role.
    """
    name = last_name(path)
    roles = [role for role, pattern in aliases.items() if Pattern(f"(?i){pattern}").fullmatch(name)]
    return roles[0] if len(roles) == 1 else ""
