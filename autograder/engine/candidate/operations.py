"""The operations that the examiner can request on the objects of a submission's code.

Each new object gets a number, the `handle` of later operations.
"""

import builtins
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.engine.candidate.describe import describe_modules, describe_parameters
from autograder.engine.candidate.faults import Unanswerable, describe_fault
from autograder.engine.candidate.library import library_calls
from autograder.engine.candidate.plain_values import plain_value
from autograder.engine.candidate.replacing import StandIns
from autograder.engine.candidate.stand_in import StandIn, StandInSpec
from autograder.engine.candidate.tensors import first, with_gradient


class Operations:
    """The operations that the examiner can request: every public method.

    `names`: the global names that the cells defined, with their values; `play(number, handed,
    upstream)`: a function that asks the examiner for the result of a played function.
    """

    def __init__(self, names: dict, play: Callable):
        self.names = names
        self.states: dict[str, dict] = {}  # global names with their values, by the name of a state
        self.final: dict | None = None  # the names after all cells, once a state is restored
        self.stand_ins = StandIns(names)
        self.played = play
        self.objects: list = []
        self.operations: dict[str, Callable] = {
            operation.__name__: operation
            for operation in (
                self.build,
                self.build_torch,
                self.play,
                self.refusals,
                self.call,
                self.function,
                self.value,
                self.modules,
                self.parameters,
                self.load,
                self.mode,
                self.precision,
                self.gradients,
                self.library_calls,
                self.stand_in,
                self.stand_in_again,
                self.forget,
                self.restore,
                self.differ,
            )
        }

    def build(
        self,
        name: str,
        args: list,
        kwargs: dict,
        own: bool = False,
        objects: list | None = None,
    ) -> tuple[int, list | None, list[str]]:
        """Call the student's class or function `name`, or its stand-in unless `own`.

        `objects`: objects of this process to insert into `args`, see `_with_objects`. Return the new
        object's number, the descriptions of its parameters (None if it is not a module), and the
        names of the parts that stand-ins replace in it. Raise `Unanswerable` if `name` is not
        defined or cannot be called.
        """
        return self._add_object(self._make(name, self._with_objects(args, objects), kwargs, own))

    def build_torch(self, kind: str, args: list, dtype: str) -> tuple[int, list | None, list[str]]:
        """Build a layer of `torch.nn`, to be passed to the student's code.

        `kind`: the layer's class. `dtype`: of its parameters, "" for the default dtype. Return the
        same values as `build`.
        """
        layer = getattr(nn, kind)(*args)
        return self._add_object(layer.to(getattr(torch, dtype)) if dtype else layer)

    def play(self, number: int) -> int:
        """Make a function whose results the examiner computes, to be passed to the student's code.

        `number`: the examiner's number for it. Return its number among the objects of this process.
        """

        def compute(_: StandIn, handed: list, upstream: torch.Tensor | None) -> Any:
            return self.played(number, handed, upstream)

        spec = StandInSpec("played", [], [], function=True)
        self.objects.append(self.stand_ins.make(spec, _of_anything, compute=compute)())
        return len(self.objects) - 1

    def _add_object(self, instance: object) -> tuple[int, list | None, list[str]]:
        self.objects.append(instance)
        if not isinstance(instance, nn.Module):
            return len(self.objects) - 1, None, []
        replaced = {part.spec.name for part in instance.modules() if isinstance(part, StandIn)}
        return len(self.objects) - 1, describe_parameters(instance), sorted(replaced)

    def _with_objects(self, args: list, objects: list | None) -> list:
        """Return the arguments with objects of this process inserted.

        `objects`: pairs [index of the argument, object number], or [index, [object numbers]] if the
        argument is a list of objects.
        """
        arguments = list(args)
        for i, number in objects or []:
            is_list = isinstance(number, list)
            arguments[i] = [self.objects[n] for n in number] if is_list else self.objects[number]
        return arguments

    def refusals(self, name: str, calls: list[list]) -> list[str | None]:
        """Call the student's class or function `name` once for each list of arguments in `calls`.

        Return the nearest built-in class of each exception ("ValueError" for a subclass), or None
        for a call without an exception. Other faults are raised: `Unanswerable` if `name` is not
        defined or cannot be called, the exception of a stub, or a lack of memory.
        """
        types: list[str | None] = []
        for args in calls:
            try:
                self._make(name, args, {})
                types.append(None)
            except BaseException as error:
                fault = describe_fault(error)
                if fault["kind"] != "raised":
                    raise
                types.append(fault["type"])
        return types

    def _make(self, name: str, args: list, kwargs: dict, own: bool = False) -> object:
        definition: Any = (self.stand_ins.own(name) if own else None) or self._defined(name)
        try:
            with self.stand_ins.without(definition if own else None):
                return definition(*args, **kwargs)
        except Exception as error:
            if isinstance(definition, nn.Module) or not callable(definition):
                raise Unanswerable("no_class", name) from error
            raise

    def _defined(self, name: str) -> Any:
        if name not in self.names:
            raise Unanswerable("missing", name)
        return self.names[name]

    def function(
        self, name: str, calls: list[list], echo: bool, objects: list | None = None
    ) -> list:
        """Call the student's function `name` once for each list of arguments in `calls`.

        Return the answers. `objects`: for each call, objects of this process to insert, see
        `_with_objects`. With `echo`, each answer is a pair (answer, arguments after the call). Raise
        `Unanswerable` if there is no such function, or an answer does not consist of plain values
        and tensors.
        """
        function = self._defined(name)
        if not callable(function):
            raise Unanswerable("no_function", name)
        handed = [
            self._with_objects(args, places)
            for args, places in zip(calls, objects or [None] * len(calls), strict=True)
        ]
        answers = [plain_value(function(*args)) for args in handed]
        return list(zip(answers, calls, strict=True)) if echo else answers

    def value(self, name: str) -> object:
        """Return the value that the student assigned to `name`.

        Raise `Unanswerable` if it is missing, or does not consist of plain values and tensors.
        """
        return plain_value(self._defined(name))

    def call(
        self, handle: int, calls: list[list], echo: bool, same: list[list[int]] | None = None
    ) -> list:
        """Call the object `handle` once for each list of arguments in `calls`.

        Return the answers. `same`: for each argument, the index of the first argument in its call
        that is the same object. With `echo`, each answer is a pair (answer, arguments after the call).
        """
        target = self.objects[handle]
        if same is not None:
            calls = [
                [args[place] for place in places] for args, places in zip(calls, same, strict=True)
            ]
        with torch.no_grad():
            answers = [target(*args) for args in calls]
        return list(zip(answers, calls, strict=True)) if echo else answers

    def modules(self, handle: int) -> list[dict]:
        """Describe the modules of the object `handle`. Raise `Unanswerable` if it is not a module."""
        return describe_modules(self._module(handle))

    def parameters(self, handle: int) -> list[list]:
        """Describe the parameters of the object `handle`. Raise `Unanswerable` if it is not a module."""
        return describe_parameters(self._module(handle))

    def load(self, handle: int, tensors: dict) -> None:
        """Copy `tensors`, by name, into the parameters of the object `handle`, in their shapes.

        Raise `Unanswerable` if it is not a module, `KeyError` if it has no such parameter.
        """
        parameters = dict(self._module(handle).named_parameters(remove_duplicate=False))
        with torch.no_grad():
            for name, tensor in tensors.items():
                parameters[name].copy_(tensor.reshape(parameters[name].shape))

    def mode(self, handle: int, training: bool) -> None:
        """Switch the object `handle` to training or evaluation mode.

        Raise `Unanswerable` if it is not a module.
        """
        self._module(handle).train(training)

    def precision(self, double: bool) -> None:
        """Set torch's default dtype to float64 if `double`, else to float32."""
        torch.set_default_dtype(torch.float64 if double else torch.float32)

    def gradients(self, handle: int, args: list, upstream: torch.Tensor) -> dict:
        """Call the object `handle`, and return the gradients of (output * upstream).sum().

        Of a tuple or list, the output is the first item. The result is a dict: "arguments" lists a
        gradient or None for each argument, "parameters" has the gradients of parameters that
        require them, by name. Raise `Unanswerable` if the object is not a module, or the output not
        a tensor.
        """
        module = self._module(handle)
        module.zero_grad()
        args = [with_gradient(arg) for arg in args]
        with torch.enable_grad():
            answer = _tensor(first(module(*args)))
            (answer * upstream).sum().backward()
        trainable = {n: p for n, p in module.named_parameters() if p.requires_grad}
        return {
            "arguments": [getattr(arg, "grad", None) for arg in args],
            "parameters": {name: parameter.grad for name, parameter in trainable.items()},
        }

    def library_calls(self, handle: int, args: list) -> list[str]:
        """Return the names of torch that a call of the object `handle` uses, see `library.py`."""
        return library_calls(self.objects[handle], args)

    def stand_in(
        self, specs: list, passes: bool, returns: dict[str, torch.Tensor], functions: dict
    ) -> None:
        """Replace the student's definitions by a new group of stand-ins, until `forget`.

        `specs`: the fields of a `StandInSpec` for each. `functions`: functions to compute, by the
        name of the part, as [source of a module, name in it, keyword arguments]. `returns`: tensors
        to return, by the name of the part. `passes`: all others return their first argument.
        """
        self.stand_ins.groups.append({})
        for spec in (StandInSpec(**fields) for fields in specs):
            if spec.name in functions:
                self.stand_ins.add(spec, compute=self.stand_ins.computing(*functions[spec.name]))
            else:
                self.stand_ins.add(spec, passes=passes, returns=returns.get(spec.name))
        self.stand_ins.hide(-1)

    def stand_in_again(self, group: int) -> None:
        """Put the stand-ins of a group in place again, for layers that build parts when called.

        `group`: the number of the call of `stand_in` since `forget`, from 0.
        """
        self.stand_ins.hide(group)

    def forget(self) -> None:
        """Drop all objects and stand-ins, and restore the student's definitions."""
        self.objects.clear()
        self.stand_ins.restore()

    def restore(self, state: str, watched: list[str]) -> list[str]:
        """Give the global names their values of a recorded state.

        Later names stay unless they hide a builtin. Return those of the names `watched` that had
        other values after all cells.
        """
        self.stand_ins.restore()
        if self.final is None:
            self.final = dict(self.names)
        names = self._names_in(state)
        self.names.clear()
        self.names.update(names)
        changed = _with_other_values(names, self.final)
        return [name for name in watched if name in changed]

    def differ(self, state: str, other: str) -> bool:
        """Whether a global name has different values in two recorded states."""
        changed = _with_other_values(self._names_in(state), self._names_in(other))
        return any(not name.startswith("_") for name in changed)

    def _names_in(self, state: str) -> dict:
        final = self.names if self.final is None else self.final
        recorded = self.states.get(state, final)
        hiding = {name for name in final if name not in recorded and name in vars(builtins)}
        return {n: value for n, value in final.items() if n not in hiding} | recorded

    def _module(self, handle: int) -> nn.Module:
        module = self.objects[handle]
        if not isinstance(module, nn.Module):
            raise Unanswerable("no_module", type(module).__name__)
        return module


def _with_other_values(names: dict, other_names: dict) -> set[str]:
    """Return the names with different values, and the names that one of the dicts lacks."""
    missing = object()
    return {
        name
        for name in {*names, *other_names}
        if names.get(name, missing) is not other_names.get(name, missing)
    }


def _of_anything(*handed):
    """A function with the signature of a played function: any positional arguments."""


def _tensor(answer: object) -> torch.Tensor:
    if answer is None:
        raise Unanswerable("returns_nothing")
    if not isinstance(answer, torch.Tensor):
        raise Unanswerable("unsendable", type(answer).__name__)
    return answer
