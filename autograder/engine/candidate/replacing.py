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

    A class stays where it is, and its `__new__` makes stand-ins. So everything that refers to the
    class gets stand-ins (a default, a closure, a list, another name), and `super(Attention, self)`
    still works. Its subclasses make their own instances. Anything else than a class is replaced by
    assigning the stand-in to its name.
    """

    in_place: ClassVar[dict[type, type[StandIn]]] = {}  # of those that were asked last

    def __init__(self, names: dict[str, object]):
        self.names = names
        self.of_classes: dict[type, type[StandIn]] = {}  # which a class makes now
        self.take_place()
        self.handed = StandInCalls()  # to those that compute
        self.hidden: dict[str, object] = {}
        self.groups: list[dict[str, object]] = []  # what stands in for what, group by group
        self.known: dict[str, tuple[Any, Signatures, Signatures]] = {}  # of what was hidden before

    def make(self, spec: StandInSpec, real: Any, **does: Any) -> type[StandIn]:
        """Return a class of stand-ins for the part that `spec` describes; nothing is replaced yet.

        `real`: the student's own part, or None if there is none; `does` sets `passes`, `returns` or
        `compute`, see `StandIn`.
        """
        if spec.name not in self.known or self.known[spec.name][0] is not real:
            self.known[spec.name] = real, *_signatures_of(spec, real)
        _, constructor, call = self.known[spec.name]
        facts = {"spec": spec, "constructor": constructor, "call": call, **does}
        if isinstance(real, type):
            facts["__class__"] = property(lambda _: real)  # for `isinstance(layer, Attention)`
        return type(spec.name, (StandIn,), facts)

    def computing(self, text: str, name: str, given: dict[str, object]) -> Callable:
        """Return the `compute` of a stand-in that runs the function `name` from the source `text`
        of a module, with the keyword arguments `given`; see `known.py`.
        """
        places: dict[int, int] = {}  # by number, of those that were called

        def compute(one: StandIn, handed: list, upstream: torch.Tensor | None) -> Any:
            place = places.setdefault(one.number, len(places))
            part = Part(one.spec.name, one.number, place, one.built)
            stated = handed[: len(one.spec.forward)]
            known, keeps = function(text, name, given), one.spec.keeps
            answer = self.handed.compute(known, part, stated, upstream, keeps)
            return answer if upstream is None else answer + [None] * (len(handed) - len(stated))

        return compute

    def own(self, name: str) -> object:
        """Return the student's definition of `name`, also while a stand-in replaces it; None if
        there is none.
        """
        return self.hidden[name] if name in self.hidden else self.names.get(name)

    def add(self, spec: StandInSpec, **does: Any) -> None:
        """Make a stand-in for the part that `spec` names, and add it to the last group of
        stand-ins; `hide` puts it in place.

        `does`: see `make`.
        """
        real = self.hidden.setdefault(spec.name, self.names.get(spec.name))
        made = self.make(spec, real, **does)
        if isinstance(real, type) and "__new__" not in vars(real):
            _make_replaceable(real)
        self.groups[-1][spec.name] = made() if spec.function else made

    def hide(self, group: int) -> None:
        """Replace the student's definitions by the stand-ins of the group with this index, until
        `restore`.

        Each call of `Operations.stand_in` makes a group.
        """
        for name, made in self.groups[group].items():
            real = self.hidden[name]
            if isinstance(real, type) and real in replaceable:
                self.of_classes[real] = made  # type: ignore[assignment]
            else:
                self.names[name] = made

    @contextlib.contextmanager
    def without(self, real: object) -> Iterator[None]:
        """Within this block, the class `real` makes its own instances and no stand-ins. Nothing
        changes if `real` is no class that stand-ins replace.
        """
        made = self.of_classes.pop(real, None) if isinstance(real, type) else None
        try:
            yield
        finally:
            if made:
                self.of_classes[real] = made  # type: ignore[index]

    def take_place(self) -> None:
        """From now on, have replaced classes make the stand-ins of this object; several submissions
        in one process may share a class.
        """
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
    """Give the class `real` a `__new__` that makes a stand-in while one replaces the class, else an
    instance.
    """

    def __new__(cls, *args, **kwargs):
        if cls is real and cls in StandIns.in_place:
            return StandIns.in_place[cls](*args, **kwargs)
        new = super(real, cls).__new__  # type: ignore[arg-type]
        return new(cls) if new is object.__new__ else new(cls, *args, **kwargs)

    __new__.__signature__ = with_self(signatures(real, [])[0])  # type: ignore[attr-defined]
    real.__new__ = __new__  # type: ignore[assignment, method-assign]
    replaceable.add(real)


def _signatures_of(spec: StandInSpec, real: Any) -> tuple[Signatures, Signatures]:
    """Return two tuples of signatures: those by which the part `real` is built, and those by which
    it is called.

    Each has the student's own, if there is one, then the statement's, which `spec` holds.
    """
    if spec.function:
        own = signatures(real, spec.forward)
        return signatures(None, []), tuple(with_self(signature) for signature in own)
    call = signatures(getattr(real, "forward", None), ["self", *spec.forward])
    return signatures(real, spec.constructor), call
