"""The proxy of a submission's code, with which graders build, load, call and inspect objects."""

import contextlib
import copy
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.candidate.known import Part, check_handed, computed
from autograder.engine.course.assignment import GraderError, Signature
from autograder.engine.examiner.backend import Backend
from autograder.engine.examiner.bounds import MAX_IN_A_CHECK, check_plain
from autograder.engine.examiner.descriptions import parsing_untrusted
from autograder.engine.examiner.faults import CandidateFault, Fault
from autograder.engine.examiner.forgiving import entry, has_entry
from autograder.engine.examiner.function import Function
from autograder.engine.examiner.handed import PlayedFunction, with_places
from autograder.engine.examiner.layer import Layer
from autograder.engine.examiner.question import Question, Step
from autograder.engine.examiner.stand_in import StandInCall, read_call, shipped


class Candidate:
    """The proxy of a submission's code. Methods that ask raise `CandidateFault` if the code raises,
    and `CandidateLost` if its process ends or times out.

    `backend`: what runs the code; `aliases`: patterns of what students call each of the reference's
    layers, by the reference's name; `signature`: a function that returns the arguments that the
    statement gives to a part, by the part's name.
    """

    def __init__(
        self,
        backend: Backend,
        aliases: Mapping[str, str],
        signature: Callable[[str], Signature],
    ):
        self.backend = backend
        self.aliases = aliases
        self.signature = signature
        self.several: dict[str, int] = {}  # by part, where its answer came with others: how many
        self.values: dict[str, object] = {}  # what was assigned, by name: asked for once
        self.own_parts = False  # grade the student's own parts: stand-ins are left out
        self.as_several = False  # stand-ins of parts whose answers come with others do the same
        self.on_answer: Callable | None = (
            None  # called with every operation, its answer or its fault
        )
        self.prepared: list[Step] = []  # what the next question begins with
        # What became of it, for whoever runs the check:
        self.calls = defaultdict[str, list[StandInCall]](list)  # of stand-ins that compute, by part
        self.played: list[Callable[..., torch.Tensor]] = []  # functions that were handed over
        self.group: int | None = (
            None  # of stand-ins in the parts' place; None where nobody knows, or none
        )
        self.groups = 0  # of stand-ins, so far
        self.stand_ins_offered = False  # whether stand-ins were there to be built with,
        self.stand_ins_used = False  # and whether one is in what was built, or has computed
        self.offers_several = False  # whether one of these could answer with several
        self.plain_answers: set[str] = set()  # names of functions and values that were asked for
        self.library: frozenset[str] | None = None  # names of torch's that were found called
        self.handed = 0  # numbers that stand-ins were handed

    def for_check(self, double: bool, own_parts: bool, as_several: bool = False) -> "Candidate":
        """Return a proxy of the same code for one check; objects built before are forgotten.

        `double`: in float64 instead of float32; `own_parts`: without stand-ins; `as_several`:
        stand-ins return a tuple where the student's own part returned one.
        """
        one = Candidate(self.backend, self.aliases, self.signature)
        one.several, one.values = self.several, self.values
        one.own_parts, one.as_several = own_parts, as_several
        torch.set_default_dtype(torch.float64 if double else torch.float32)
        one.prepare("forget", {})
        one.prepare("precision", {"double": double})
        return one

    def build(self, name: str, *args, **kwargs) -> "Layer":
        """Call the student's class or function `name`, or its stand-in, with these arguments;
        return a proxy of the object that it made.

        An argument may be a layer that was built before.
        """
        return self.answers(self.building(name, *args, **kwargs))[0]

    def build_torch(self, kind: str, *args: object, dtype: str = "") -> "Layer":
        """Build a layer of `torch.nn` in the candidate's process, to be passed to the student's
        code; return its proxy.

        `kind`: the name of its class; `dtype`: that of its parameters, by default the precision of
        the check.
        """
        question = {"kind": kind, "args": list(args), "dtype": dtype}
        return self._made(kind, None, self.ask("build_torch", question, about=kind))

    def play(self, compute: Callable[..., torch.Tensor]) -> PlayedFunction:
        """Return a function that can be passed to the student's code. When the code calls it with
        tensors, `compute` is called here with copies of them, and its result is returned to the
        code; gradients go through it.

        At most MAX_COMPUTED calls are allowed in one question, see `supervisor.py`.
        """
        self.played.append(compute)
        answer = self.ask("play", {"number": len(self.played) - 1})
        if type(answer) is not int:
            raise ChannelError("an answer of another form")
        return PlayedFunction(answer)

    def build_own(self, part: Part) -> "Layer":
        """Build the student's own part with the arguments that their code passed to its stand-in;
        return its proxy.

        `part`: what a stand-in reported about itself.
        """
        question = {"name": part.name, "args": [], "kwargs": part.built, "own": True}
        return self.answers(self._building(question))[0]

    def building(self, name: str, *args, **kwargs) -> Question:
        """Return the question that `build` would put with these arguments, so that it can be put in
        one message with others.
        """
        given, objects = with_places(args)
        question = {"name": name, "args": given, "kwargs": kwargs}
        return self._building(question | ({"objects": objects} if objects else {}))

    def _building(self, question: dict) -> Question:
        name = question["name"]
        read = partial(self._made, name, self.group)
        return self.question("build", question, about=name, read=read)

    def _made(self, name: str, group: int | None, answer: object) -> "Layer":
        with parsing_untrusted():
            match answer:
                case (int(handle), None | list() as parameters, bool(replaced)):
                    self.stand_ins_used |= replaced
                    return Layer(self, handle, name, parameters, replaced, group)
        raise ChannelError("an answer of another form")

    def function(self, name: str) -> Function:
        """Return a proxy of the student's function `name`; nothing is asked yet."""
        self.plain_answers.add(name)
        return Function(self, name)

    def value(self, name: str) -> Any:
        """Return what the student assigned to `name`: numbers, texts, booleans, tensors, or lists,
        tuples and dicts of these, which may contain None.

        Raise `CandidateFault` also if it is None: not filled in yet.
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
        """Return the value under a key of the dict that the student assigned to `name`; several
        keys are those of nested dicts. Keys need not be spelled exactly.

        It is recorded only when it is compared. Raise `CandidateFault` if the value is None (not
        filled in yet), `AssertionError` if there is no such key or no dict.
        """
        found, path = self._value(name), f"`{name}`"
        for key in keys:
            if found is None:
                break
            if not isinstance(found, dict):
                raise AssertionError(f"{path} is a dict in the statement. What is it in yours?")
            if not has_entry(found, key):
                raise AssertionError(f'{path} has no "{key}". Is it spelled as in the statement?')
            found, path = entry(found, key), f'{path}["{key}"]'
        return _filled_in(found, path)

    def refusals(self, name: str, *calls: Sequence[object]) -> list[str | None]:
        """Call the student's class or function `name` once for each of `calls`, a sequence of
        arguments; return the name of the exception that each raised, or None.

        Raise `CandidateFault` if `name` is not defined or still a stub.
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
        """Replace parts of the student's code by stand-ins; this lasts until the check ends. It has
        no effect in an attempt with own parts.

        `names`: parts whose stand-ins return their first argument; `passes=True` has to be given as
        well. `does`: for each further part, a tensor that its stand-in returns, or a function (of a
        module, or a `partial` of one) that it computes. Such a function is called with a `Part` and
        the arguments of the statement in their order. The candidate gets the source of its module,
        which may import only torch, math and types. The attribute `calls` lists the calls of these
        stand-ins by name; with `keeps`, the arguments as well.

        The stand-ins of one call form a group. Raise `GraderError` if there are `names` without
        `passes`.
        """
        if names and not passes:
            raise GraderError("a stand-in by name alone has to pass its input on: passes=True")
        if not self.own_parts:
            self.stand_ins_offered = True
            returns = {n: one for n, one in does.items() if isinstance(one, torch.Tensor)}
            functions = {n: shipped(one) for n, one in does.items() if callable(one)}
            specs = [self._spec(name) | {"keeps": keeps} for name in (*names, *does)]
            question = {"specs": specs, "passes": passes, "returns": returns}
            self.prepare("stand_in", question | {"functions": functions})
            self.group, self.groups = self.groups, self.groups + 1
        yield

    def _spec(self, name: str) -> dict:
        """Return what the candidate has to know about a stand-in: name, arguments, and how many
        things to return.
        """
        self.offers_several |= name in self.several
        several = self.several.get(name, 0) if self.as_several else 0
        return {"name": name, **self.signature(name)._asdict(), "several": several}

    def prepare(self, operation: str, arguments: dict) -> None:
        """Add a step to the beginning of the next question, in the same message. If the step
        raises, that counts as a fault of the question.

        `operation` and `arguments`: the step, see `candidate/operations.py`.
        """
        self.prepared.append((operation, arguments))

    def stand_in_again(self, group: int | None) -> None:
        """Before the next question, put the stand-ins of this group in place again, with which a
        layer was built. None, or the group that is in place, changes nothing.

        `group`: the number of the call of `stand_in` in this check, from 0.
        """
        if group is not None and group != self.group:
            self.prepare("stand_in_again", {"group": group})
            self.group = group

    def question(self, operation: str, arguments: dict, **more: Any) -> Question:
        """Return a question: the prepared steps, then this operation, whose answer is wanted. No
        steps are prepared any more.

        `operation` and `arguments`: see `candidate/operations.py`; `more`: further fields of
        `Question`.
        """
        steps, self.prepared = [*self.prepared, (operation, arguments)], []
        return Question(steps, **more)

    def answers(self, *questions: Question) -> list:
        """Put questions in one message; return their answers in order, each converted by the
        question's `read`.

        If the student's code raises at a question, the question that its `instead` returns is put;
        if that is None, `CandidateFault` is raised. Raise `CandidateLost` if the process ends or
        times out.

        Example: `one, other = candidate.answers(layer.eval().later(x), layer.train().later(x))`.
        """
        todo, read = list(questions), []
        while todo:
            put = [*todo]
            for question, answer in zip(put, self.backend.ask(put, self._compute), strict=False):
                self._hear(answer.handed)
                if answer.fault:
                    self.group = None
                    self._report(question.operation, None, answer.fault)
                    instead = question.instead()
                    if instead is None:
                        raise answer.fault
                    todo[0] = instead
                    break
                self._note(question, answer.value)
                read.append(question.read(answer.value))
                del todo[0]
        return read

    def ask(self, operation: str, arguments: dict, about: str = "", record: bool = True) -> Any:
        """Put one question; return its answer. Raise `CandidateFault` if the student's code raises,
        `CandidateLost` if its process ends or times out.

        `operation` and `arguments`: what is asked, see `candidate/operations.py`; `about`: the name
        that the student's message mentions; `record`: whether the answer is recorded.
        """
        question = self.question(operation, arguments, about=about, record=record)
        return self.answers(question)[0]

    def _note(self, question: Question, answer: Any) -> None:
        """Check that the answer of a function or value is not too large, and call `on_answer` if it
        is to be recorded.
        """
        if question.operation in ("function", "value"):
            check_plain(answer)
        if question.record:
            self._report(question.operation, answer)

    def library_calls(self, handle: int, args: list, about: str = "") -> frozenset[str]:
        """Return the names of torch's functions, operators and classes that a call of an object
        uses.

        `handle`: the object's number; `args`: the arguments of the call; `about`: the name that the
        student's message mentions. The candidate may report any names: compare them with fixed
        ones, and never look them up.
        """
        answer = self.ask("library_calls", {"handle": handle, "args": args}, about=about)
        with parsing_untrusted():
            self.library = frozenset(name for name in answer if isinstance(name, str))
        return self.library

    def _report(self, *answer: object) -> None:
        if self.on_answer:
            self.on_answer(*answer)

    def _compute(self, asked: dict) -> object:
        """Return the result of a played function, or the gradients of its arguments. Raise
        `ValueError` if the candidate's request `asked` has another form.
        """
        match asked:
            case {"played": int(number), "handed": list(handed), "upstream": upstream}:
                self._count(handed)
                return computed(self.played[number], handed, upstream)
        raise ValueError("no question of a played function")

    def _hear(self, calls: Any) -> None:
        """Keep the calls of stand-ins that a reply reports. Raise `ChannelError` if one has another
        form.
        """
        with parsing_untrusted():
            for one in map(read_call, calls):
                if one.kept is not None:
                    self._count(one.kept)
                self.stand_ins_used = True
                self.calls[one.part.name].append(one)

    def _count(self, handed: list) -> None:
        """Add the numbers in `handed`, the arguments of a part, to those of this check. Raise
        `ValueError` if these are too many to keep.
        """
        self.handed += check_handed(handed)
        if self.handed > MAX_IN_A_CHECK:
            raise ValueError("parts are handed more than any check asks for")


def _filled_in(value: Any, name: str) -> Any:
    if value is None:
        raise CandidateFault(Fault("open", "an exception"), f"{name} is still open.")
    return value
