"""What a module answers when it is looked at from several sides, for the examiner to compare.

Nothing that is found out here costs a point: a person looks at it.
"""

import itertools
from collections.abc import Iterator, Sequence

import torch
from torch import nn
from torch.nn.modules import module as of_all_modules

from autograder.engine.candidate.tensors import first, floats

MAX_NODES = 5_000  # of a graph of gradients
DESCRIBING = frozenset(
    """
    parameters named_parameters buffers named_buffers modules named_modules children named_children
    state_dict get_submodule get_parameter _named_members __getattribute__ __class__ __call__
    """.split()
)  # what nn.Module says about itself; `__call__` counts where there is a `forward`, too
CALL = "__call__"
HOOKS = frozenset(
    """
    _forward_hooks _forward_pre_hooks _backward_hooks _backward_pre_hooks
    _global_forward_hooks _global_forward_pre_hooks _global_backward_hooks _global_backward_pre_hooks
    """.split()
)  # where nn.Module keeps them: a module's own, and those of all modules
TORCHS = "torch."  # how the names of torch's own modules begin
ALIKE = 20.0  # how much more than others a tensor with a small gradient may be moved


def observe(module: nn.Module, args: list, seed: int, step: float, chains: bool) -> dict:
    """Return a module's answer, its gradients, its answer a step beside these arguments and
    weights, and what it is made of.

    The upstream gradient and then the directions come from a generator with this seed.
    """
    generator = torch.Generator().manual_seed(seed)
    own = [arg.detach().clone() if floats(arg) else arg for arg in args]
    leaves = [arg.requires_grad_() for arg in own if floats(arg)]
    module.zero_grad()
    with torch.enable_grad(), _Chains(module if chains else None) as heard:
        answer = first(module(*own))
        unlisted = _unlisted(answer, [*leaves, *module.parameters()])
        (answer * upstream_of(answer, generator)).sum().backward()
    moved = [*leaves, *module.parameters()]
    moved = [tensor for tensor in moved if tensor.grad is not None]
    gradients = [tensor.grad for tensor in moved]
    with torch.no_grad():
        return {
            "answer": answer.detach(),
            "gradients": gradients,
            "chains": list(heard.compared()),  # before the weights are moved
            "beside": _beside(module, own, moved, directions(gradients, generator), step),
            "unlisted": unlisted,
            **_made_of(module),
        }


def upstream_of(answer: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(answer.shape, generator=generator, dtype=answer.dtype)


def directions(gradients: Sequence[torch.Tensor], generator: torch.Generator) -> list[torch.Tensor]:
    """Draw where to move the tensors with these gradients: so that each of them is heard.

    What got no gradient stays: so does the row of an embedding that stands for padding.
    """
    sizes = [float(gradient.norm()) for gradient in gradients]
    least = max(min((size for size in sizes if size), default=1.0), max(sizes, default=0) / ALIKE)
    return [
        torch.randn(gradient.shape, generator=generator, dtype=gradient.dtype)
        * (gradient != 0)
        * min(1.0, least / (size or least))
        for gradient, size in zip(gradients, sizes, strict=True)
    ]


def _beside(
    module: nn.Module, args: list, moved: list[torch.Tensor], ways: list[torch.Tensor], step: float
) -> torch.Tensor:
    """The answer with these tensors a step along their ways."""
    for tensor, way in zip(moved, ways, strict=True):
        tensor.data.add_(way, alpha=step)
    return first(module(*args))


def _made_of(module: nn.Module) -> dict[str, list[str]]:
    """Names: of torch's classes among its modules' whose `forward` is not torch's, of what is said
    about the module by the student's code, and not by nn.Module, and of the kinds of its hooks.
    """
    parts, kinds = _parts(module), kinds_of(module)
    torchs = {kind for kind in kinds if is_torchs(kind)}
    replaced = {kind.__name__ for kind in torchs if not is_torchs(kind.__dict__.get("forward"))}
    told = set(_describing(kinds - torchs, parts))
    hooks = {
        name for own in (vars(of_all_modules), *map(_own, parts)) for name in HOOKS if own.get(name)
    }
    return {
        "replaced": sorted(replaced),
        "describing": sorted(told),
        "hooks": sorted(hooks),
    }


def kinds_of(module: nn.Module) -> set[type]:
    """The classes of a module and of all below it, and those that they inherit from."""
    described = itertools.islice(module.modules(), MAX_NODES)
    return {base for kind in {*map(type, (*_parts(module), *described))} for base in kind.__mro__}


def _parts(module: nn.Module) -> list[nn.Module]:
    """A module and all below it, as they are kept, whatever its methods say."""
    parts = {id(module): module}
    todo = [module]
    while todo and len(parts) < MAX_NODES:
        for part in _own(todo.pop()).get("_modules", {}).values():
            if isinstance(part, nn.Module) and id(part) not in parts:
                parts[id(part)] = part
                todo.append(part)
    return list(parts.values())


def _own(thing: object) -> dict:
    """What `vars` would say, did nobody change what it says."""
    return object.__getattribute__(thing, "__dict__")


def _describing(kinds: set[type], parts: list[nn.Module]) -> Iterator[str]:
    for own in (*map(vars, kinds), *map(_own, parts)):
        yield from (name for name in DESCRIBING.intersection(own) if name != CALL)
        if CALL in own and "forward" in own:
            yield CALL


class _Chains:
    """Listens to every nn.Sequential of a module, and runs its members one after another."""

    def __init__(self, module: nn.Module | None):
        named = itertools.islice(module.modules() if module else (), MAX_NODES)
        self.parts = [part for part in named if isinstance(part, nn.Sequential)]
        self.heard: dict[nn.Sequential, tuple] = {}

    def __enter__(self) -> "_Chains":
        self.hooks = [part.register_forward_hook(self._listen) for part in self.parts]
        return self

    def __exit__(self, *_: object) -> None:
        for hook in self.hooks:
            hook.remove()

    def _listen(self, part: nn.Module, args: tuple, answer: object) -> None:
        if len(args) == 1 and isinstance(args[0], torch.Tensor):
            self.heard[part] = args[0].detach().clone(), answer  # type: ignore[index]

    def compared(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield what each answered, and what its members make of the same."""
        for part, (x, answer) in self.heard.items():
            for member in part.children():
                x = member(x)
            yield answer.detach(), x


def _unlisted(answer: torch.Tensor, listed: list[torch.Tensor]) -> bool:
    """Whether the answer's gradient goes to a tensor that is neither argument nor parameter."""
    known = {id(tensor) for tensor in listed}
    todo, seen = [answer.grad_fn], set[object]()
    while todo and len(seen) < MAX_NODES:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and id(leaf) not in known:
            return True
        todo += [before for before, _ in node.next_functions]
    return False


def is_torchs(thing: object) -> bool:
    """Whether it is torch's or Python's own; None, for what is not there, counts as such."""
    place = getattr(thing, "__module__", "builtins")
    return place == "builtins" or f"{place}.".startswith(TORCHS)
