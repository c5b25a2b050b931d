"""The proxy of a submission's code, with which graders build, load, call and inspect objects."""

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.candidate.known import Part
from autograder.engine.courses.assignment import Signature
from autograder.engine.courses.cells import GraderError
from autograder.engine.examiner.asking import Asker
from autograder.engine.examiner.backend import Backend
from autograder.engine.examiner.descriptions import few, parsing_untrusted
from autograder.engine.examiner.faults import CandidateFault, Fault
from autograder.engine.examiner.forgiving import entry, has_entry
from autograder.engine.examiner.function import Function
from autograder.engine.examiner.handed import PlayedFunction, with_places
from autograder.engine.examiner.layer import Layer
from autograder.engine.examiner.stand_in import shipped


class Candidate(Asker):
    """The proxy of a submission's code.

    Its methods raise `CandidateFault` if the code raises, and `CandidateLost` if its process ends
    or times out.

    `backend`: runs the code. `aliases`: patterns of students' names for each of the reference's
    layers, by the reference's name. `signature`: returns the arguments of a part in the statement,
    by the part's name.
    """

    def __init__(
        self,
        backend: Backend,
        aliases: Mapping[str, str],
        signature: Callable[[str], Signature],
    ):
        super().__init__(backend, aliases)
        self.signature = signature
        self.values: dict[str, object] = {}  # assigned values, which are only asked for once
        self.own_parts = False  # grade the student's own parts, without stand-ins
        self.as_several = False  # stand-ins return several results if the part did
        self.groups = 0  # number of groups of stand-ins so far
        # Results for the runner of the check:
        self.stand_ins_offered: set[str] = set()  # the parts that stand-ins replace
        self.offers_several = False  # whether one of these parts returns several results
        self.plain_answers: set[str] = set()  # names of functions and values in questions

    def for_check(self, double: bool, own_parts: bool, as_several: bool = False) -> "Candidate":
        """Return a proxy of the same code for a check. Earlier objects are forgotten.

        `double`: in float64 instead of float32, which also becomes torch's default dtype in this
        process. `own_parts`: without stand-ins. `as_several`: stand-ins return a tuple if the
        student's own part did.
        """
        proxy = Candidate(self.backend, self.aliases, self.signature)
        proxy.several, proxy.values = self.several, self.values
        proxy.own_parts, proxy.as_several = own_parts, as_several
        torch.set_default_dtype(torch.float64 if double else torch.float32)
        proxy.prepare("forget", {})
        proxy.prepare("precision", {"double": double})
        return proxy

    def build(self, name: str, *args, **kwargs) -> "Layer":
        """Call the student's class or function `name`, or its stand-in, and return a proxy of the
        object.

        An argument may be a layer that was built before.
        """
        arguments, objects = with_places(args)
        question = {"name": name, "args": arguments, "kwargs": kwargs}
        return self._build(question | ({"objects": objects} if objects else {}))

    def build_torch(self, kind: str, *args: object, dtype: str = "") -> "Layer":
        """Build a layer of `torch.nn` in the candidate's process, for the student's code.

        `kind`: the name of its class. `dtype`: that of its parameters, by default the precision of
        the check.
        """
        question = {"kind": kind, "args": list(args), "dtype": dtype}
        return self._made(kind, None, self.ask("build_torch", question, about=kind))

    def play(self, compute: Callable[..., torch.Tensor]) -> PlayedFunction:
        """Return a function that can be passed to the student's code.

        When the code calls it with tensors, `compute` is called here with copies of them, and its
        result is returned to the code. Gradients go through it. After MAX_COMPUTED calls in one
        question, a further call raises in the student's code.
        """
        self.played.append(compute)
        answer = self.ask("play", {"number": len(self.played) - 1})
        if type(answer) is not int:
            raise ChannelError("an answer of another form")
        return PlayedFunction(answer)

    def build_own(self, part: Part) -> "Layer":
        """Build the student's own part with the arguments that the code passed to its stand-in.

        `part`: the stand-in's report about itself.
        """
        question = {"name": part.name, "args": [], "kwargs": part.built, "own": True}
        return self._build(question)

    def _build(self, question: dict) -> "Layer":
        name = question["name"]
        return self._made(name, self.group, self.ask("build", question, about=name))

    def _made(self, name: str, group: int | None, answer: object) -> "Layer":
        with parsing_untrusted():
            match answer:
                case (int(handle), None | list() as parameters, list(replaced)):
                    self.stand_ins_used |= self.stand_ins_offered.intersection(few(replaced))
                    return Layer(self, handle, name, parameters, bool(replaced), group)
        raise ChannelError("an answer of another form")

    def function(self, name: str) -> Function:
        """Return a proxy of the student's function `name`, without asking yet."""
        self.plain_answers.add(name)
        return Function(self, name)

    def value(self, name: str) -> Any:
        """Return the student's value of `name`: numbers, texts, booleans, tensors, or lists, tuples
        and dicts of these, which may contain None.

        Raise `CandidateFault` also if it is None, so not filled in yet.
        """
        answer = _filled_in(self._value(name), f"`{name}`")
        self._report("value", answer)
        return answer

    def _value(self, name: str) -> Any:
        """Return a copy of the value that the student assigned to `name`.

        It is asked for once, and cached for all checks and precisions, so that the candidate cannot
        change it.
        """
        self.plain_answers.add(name)
        if name not in self.values:
            self.values[name] = self.ask("value", {"name": name}, about=name, record=False)
        return copy.deepcopy(self.values[name])

    def entry(self, name: str, *keys: object) -> Any:
        """Return the value under a key of the student's dict `name`, or nested keys.

        Keys need not be spelled exactly, see `forgiving.entry`. The value is recorded by the
        fixture that compares it, and not here. Raise `CandidateFault` if the value is None (not
        filled in yet), `AssertionError` if a key or dict is missing.
        """
        content, path = self._value(name), f"`{name}`"
        for key in keys:
            if content is None:
                break
            if not isinstance(content, dict):
                raise AssertionError(f"{path} is a dict in the statement. What is it in yours?")
            if not has_entry(content, key):
                raise AssertionError(f'{path} has no "{key}". Is it spelled as in the statement?')
            content, path = entry(content, key), f'{path}["{key}"]'
        return _filled_in(content, path)

    def refusals(self, name: str, *calls: Sequence[object]) -> list[str | None]:
        """Call the student's class or function `name` with each of these sequences of arguments.

        Return, for each call, the name of the nearest built-in class of its exception, or None if
        it raised none. Raise `CandidateFault` if `name` is not defined, cannot be called or is
        still a stub.
        """
        question = {"name": name, "calls": [list(args) for args in calls]}
        answers = self.ask("refusals", question, about=name)
        with parsing_untrusted():
            if not isinstance(answers, list) or len(answers) != len(calls):
                raise ValueError("an answer for each call")
            return [answer if isinstance(answer, str) else None for answer in answers]

    @contextlib.contextmanager
    def stand_in(
        self, *names: str, passes: bool = False, keeps: bool = False, **does: Any
    ) -> Iterator[None]:
        """Replace parts of the student's code by stand-ins until the check ends.

        It has no effect in an attempt with own parts.

        `names`: parts with stand-ins that return their first argument and require `passes=True`.
        `does`: for each further part, a tensor that its stand-in returns, or a function (of a
        module, or a `partial` of one) that it computes. Such a function is called with a `Part` and
        the arguments of the statement in their order. The candidate gets the source of its module,
        which may import only torch, math and types. The attribute `calls` lists the calls of these
        stand-ins by name; with `keeps`, the arguments as well.

        The stand-ins of a call form a group. Raise `GraderError` if there are `names` without
        `passes`.
        """
        if names and not passes:
            raise GraderError("a stand-in by name alone has to pass its input on: passes=True")
        if not self.own_parts:
            returns = {name: x for name, x in does.items() if isinstance(x, torch.Tensor)}
            functions = {name: shipped(f) for name, f in does.items() if callable(f)}
            specs = [self._spec(name) | {"keeps": keeps} for name in (*names, *does)]
            self.stand_ins_offered |= {*names, *does}
            question = {"specs": specs, "passes": passes, "returns": returns}
            self.prepare("stand_in", question | {"functions": functions})
            self.group, self.groups = self.groups, self.groups + 1
        yield

    def _spec(self, name: str) -> dict:
        """Return the fields of a `StandInSpec` for the part `name`, without `keeps`.

        Raise `GraderError` if the reference does not have the part.
        """
        self.offers_several |= name in self.several
        several = self.several.get(name, 0) if self.as_several else 0
        return {"name": name, **self.signature(name)._asdict(), "several": several}


def _filled_in(value: Any, name: str) -> Any:
    if value is None:
        raise CandidateFault(Fault("open", "an exception"), f"{name} is still open.")
    return value
