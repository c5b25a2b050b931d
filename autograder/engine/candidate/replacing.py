"""Replace the definitions of a student's code by stand-ins, and restore them."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, ClassVar
from weakref import WeakSet

import torch

from autograder.engine.candidate.known import Part, StandInCalls, function
from autograder.engine.candidate.signatures import Signatures, signatures, with_self
from autograder.engine.candidate.stand_in import StandIn, StandInSpec

replaceable: WeakSet[type] = WeakSet()  # classes that ask whether to make a stand-in


class StandIns:
    """Makes stand-ins, replaces a student's definitions by them, and restores the definitions.

    `names`: the global names of the student's code with their values.

    A class stays in place, and its `__new__` makes stand-ins. So every reference to the class makes
    stand-ins (a default, a closure, a list, another name), and `super(Attention, self)` still
    works. Its subclasses make their own instances. Functions and other objects are replaced by
    assigning the stand-in to their name.
    """

    in_place: ClassVar[dict[type, type[StandIn]]] = {}  # `of_classes` of the last `take_place`

    def __init__(self, names: dict[str, object]):
        self.names = names
        self.of_classes: dict[type, type[StandIn]] = {}  # the stand-ins that each class makes now
        self.take_place()
        self.handed = StandInCalls()  # calls of the stand-ins that compute
        self.hidden: dict[str, object] = {}  # the student's definitions, by name
        self.groups: list[dict[str, object]] = []  # stand-ins by name, for each group
        # by name: a definition that was replaced before, and its signatures from `_signatures_of`
        self.known: dict[str, tuple[Any, Signatures, Signatures]] = {}

    def make(self, spec: StandInSpec, real: Any, **does: Any) -> type[StandIn]:
        """Return a class of stand-ins for the part that `spec` describes, without replacing the part.

        `real`: the student's own part, or None. `does`: values for `passes`, `returns` or `compute`,
        see `StandIn`.
        """
        if spec.name not in self.known or self.known[spec.name][0] is not real:
            self.known[spec.name] = real, *_signatures_of(spec, real)
        _, constructor, call = self.known[spec.name]
        facts = {"spec": spec, "constructor": constructor, "call": call, **does}
        if isinstance(real, type):
            facts["__class__"] = property(lambda _: real)  # for `isinstance(layer, Attention)`
        return type(spec.name, (StandIn,), facts)

    def computing(self, text: str, name: str, settings: dict[str, object]) -> Callable:
        """Return the `compute` of a stand-in that runs a function, see `known.function`."""
        places: dict[int, int] = {}  # by the numbers of stand-ins that were called

        def compute(stand_in: StandIn, handed: list, upstream: torch.Tensor | None) -> Any:
            spec = stand_in.spec
            place = places.setdefault(stand_in.number, len(places))
            part = Part(spec.name, stand_in.number, place, stand_in.built)
            stated = handed[: len(spec.forward)]
            run = function(text, name, settings)
            answer = self.handed.compute(run, part, stated, upstream, spec.keeps)
            return answer if upstream is None else answer + [None] * (len(handed) - len(stated))

        return compute

    def own(self, name: str) -> object:
        """Return the student's definition of `name`, also while a stand-in replaces it, or None."""
        return self.hidden[name] if name in self.hidden else self.names.get(name)

    def add(self, spec: StandInSpec, **does: Any) -> None:
        """Make a stand-in for the part that `spec` names, and add it to the last group.

        `hide` puts it in place. `does`: see `make`.
        """
        real = self.hidden.setdefault(spec.name, self.names.get(spec.name))
        stand_in_class = self.make(spec, real, **does)
        if isinstance(real, type) and "__new__" not in vars(real):
            _make_replaceable(real)
        self.groups[-1][spec.name] = stand_in_class() if spec.function else stand_in_class

    def hide(self, group: int) -> None:
        """Replace the student's definitions by the stand-ins of the group with this index, until
        `restore`.

        Each call of `Operations.stand_in` makes a group.
        """
        for name, stand_in in self.groups[group].items():
            real = self.hidden[name]
            if isinstance(real, type) and real in replaceable:
                self.of_classes[real] = stand_in  # type: ignore[assignment]
            else:
                self.names[name] = stand_in

    @contextlib.contextmanager
    def without(self, real: object) -> Iterator[None]:
        """Within this block, the class `real` makes its own instances and no stand-ins."""
        stand_in_class = self.of_classes.pop(real, None) if isinstance(real, type) else None
        try:
            yield
        finally:
            if stand_in_class:
                self.of_classes[real] = stand_in_class  # type: ignore[index]

    def take_place(self) -> None:
        """From now on, have replaced classes make the stand-ins of this object."""
        # several submissions in a process may share a class
        StandIns.in_place = self.of_classes

    def restore(self) -> None:
        """Restore every definition that was replaced, and drop all groups."""
        for name, real in self.hidden.items():
            if real is None:
                self.names.pop(name, None)
            else:
                self.names[name] = real
        self.of_classes.clear()
        self.hidden.clear()
        self.groups.clear()


def _make_replaceable(real: type) -> None:
    """Give the class `real` a `__new__` that makes its current stand-in, or else an instance."""

    def __new__(cls, *args, **kwargs):
        if cls is real and cls in StandIns.in_place:
            return StandIns.in_place[cls](*args, **kwargs)
        inherited = super(real, cls).__new__  # type: ignore[arg-type]
        return inherited(cls) if inherited is object.__new__ else inherited(cls, *args, **kwargs)

    __new__.__signature__ = with_self(signatures(real, [])[0])  # type: ignore[attr-defined]
    real.__new__ = __new__  # type: ignore[assignment, method-assign]
    replaceable.add(real)


def _signatures_of(spec: StandInSpec, real: Any) -> tuple[Signatures, Signatures]:
    """Return the signatures by which the part `real` is built, and those by which it is called.

    Each tuple has the student's signature, if there is one, and then the statement's.
    """
    if spec.function:
        call = signatures(real, spec.forward)
        return signatures(None, []), tuple(with_self(signature) for signature in call)
    call = signatures(getattr(real, "forward", None), ["self", *spec.forward])
    return signatures(real, spec.constructor), call
