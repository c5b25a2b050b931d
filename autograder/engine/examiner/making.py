"""How a check made and called something: enough to call it once more when the checks are over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class MadeCall:
    """The steps up to the first call that was answered, and that call."""

    steps: Sequence[tuple[str, dict]]
    played: Sequence[Callable[..., torch.Tensor]]  # functions that were handed over
    call: dict  # `args`, and the `handle` of a layer, or the `name` of a function and its `objects`

    @property
    def size(self) -> int:
        """How many numbers it was handed."""
        return sum(arg.numel() for arg in self.call["args"] if isinstance(arg, torch.Tensor))

    @property
    def double(self) -> bool:
        """Whether it was made in float64."""
        return any(step == ("precision", {"double": True}) for step in self.steps)


@dataclass
class Making:
    """What one check did so far, as far as its first answered call."""

    steps: list[tuple[str, dict]] = field(default_factory=list)
    called: MadeCall | None = None
    library: frozenset[str] | None = None  # names of torch's that the check found called
    looked: bool = False  # at the modules that a layer is made of
    objects: list[str] = field(default_factory=list)  # by handle: the operation that made it

    def prepared(self, operation: str, arguments: dict) -> None:
        if self.called is None:
            self.steps.append((operation, arguments))

    def answered(
        self,
        operation: str,
        arguments: dict,
        played: Sequence[Callable[..., torch.Tensor]],
    ) -> None:
        """Note a question that was answered."""
        self.looked |= operation == "modules"
        if self.called is not None:
            return
        if operation in ("build", "build_torch", "play"):
            self.steps.append((operation, arguments))
            self.objects.append(operation)
        elif operation == "function":
            objects = arguments.get("objects", [None])[0]
            call = {"name": arguments["name"], "args": arguments["calls"][0], "objects": objects}
            self.called = MadeCall([*self.steps], [*played], call)
        elif operation == "call" and self._is_a_students(arguments["handle"]):
            call = {"handle": arguments["handle"], "args": arguments["calls"][0]}
            self.called = MadeCall([*self.steps], [*played], call)

    def _is_a_students(self, handle: int) -> bool:
        """Whether the student's code made it: torch's layers are handed over, and nobody asks of them."""
        return self.objects[handle : handle + 1] != ["build_torch"]
