"""How a check made and called a layer: enough to make it once more when the checks are over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class MadeLayer:
    """The steps up to the first call that was answered, and that call."""

    steps: Sequence[tuple[str, dict]]
    groups: Sequence[dict[str, Callable[..., torch.Tensor]]]  # of stand-ins: who computes
    handle: int
    args: Sequence[object]

    @property
    def size(self) -> int:
        """How many numbers it was handed."""
        return sum(arg.numel() for arg in self.args if isinstance(arg, torch.Tensor))

    @property
    def double(self) -> bool:
        """Whether it was made in float64."""
        return any(step == ("precision", {"double": True}) for step in self.steps)


@dataclass
class Making:
    """What one check did so far, as far as its first answered call."""

    steps: list[tuple[str, dict]] = field(default_factory=list)
    called: MadeLayer | None = None
    looked: bool = False  # at the modules that a layer is made of
    objects: list[str] = field(default_factory=list)  # by handle: the operation that made it

    def prepared(self, operation: str, arguments: dict) -> None:
        if self.called is None:
            self.steps.append((operation, arguments))

    def answered(self, operation: str, arguments: dict, groups: Sequence[dict]) -> None:
        """Note a question that was answered."""
        self.looked |= operation == "modules"
        if self.called is not None:
            return
        if operation in ("build", "build_torch", "play", "replace"):
            self.steps.append((operation, arguments))
            self.objects += [operation] if operation != "replace" else []
        elif operation == "call" and self._is_a_students(arguments["handle"]):
            handle, args = arguments["handle"], arguments["calls"][0]
            self.called = MadeLayer([*self.steps], [*groups], handle, args)

    def _is_a_students(self, handle: int) -> bool:
        """Whether the student's code made it: torch's layers are handed over, and nobody asks of them."""
        return self.objects[handle : handle + 1] != ["build_torch"]
