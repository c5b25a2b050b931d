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
    """A submission's code. Every method may raise `CandidateFault` or `CandidateLost`.

    `aliases` are patterns of what students call the reference's layers; `signature` returns the
    arguments that the statement gives to a part.
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
        """Return a proxy of the same code for one check, in float64 if `double`, without the
        objects built before.
        """
        one = Candidate(self.backend, self.aliases, self.signature)
        one.several, one.values = self.several, self.values
        one.own_parts, one.as_several = own_parts, as_several
        torch.set_default_dtype(torch.float64 if double else torch.float32)
        one.prepare("forget", {})
        one.prepare("precision", {"double": double})
        return one

    def build(self, name: str, *args, **kwargs) -> "Layer":
        """Call the student's definition of `name`, or its stand-in; return the object.

        An argument may be a layer that was built before.
        """
        return self.answers(self.building(name, *args, **kwargs))[0]

    def build_torch(self, kind: str, *args: object, dtype: str = "") -> "Layer":
        """Build a layer of `torch.nn` in the candidate's process, as an argument for the student's
        code.

        Its parameters have the precision of the check, or this dtype.
        """
        question = {"kind": kind, "args": list(args), "dtype": dtype}
        return self._made(kind, None, self.ask("build_torch", question, about=kind))

    def play(self, compute: Callable[..., torch.Tensor]) -> PlayedFunction:
        """Return a function that can be an argument: the student's code calls it with tensors, and
        `compute` computes its result here. Gradients go through it.

        `supervisor.py` allows at most MAX_COMPUTED calls in one question.
        """
        self.played.append(compute)
        answer = self.ask("play", {"number": len(self.played) - 1})
        if type(answer) is not int:
            raise ChannelError("an answer of another form")
        return PlayedFunction(answer)

    def build_own(self, part: Part) -> "Layer":
        """Build the student's own part, with the arguments with which their code built its
        stand-in.
        """
        question = {"name": part.name, "args": [], "kwargs": part.built, "own": True}
        return self.answers(self._building(question))[0]

    def building(self, name: str, *args, **kwargs) -> Question:
        """Return the question that `build` puts, so that it can be put in one message with others."""
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
        """Return a proxy of the student's function `name`."""
        self.plain_answers.add(name)
        return Function(self, name)

    def value(self, name: str) -> Any:
        """Return what the student assigned to `name`: numbers, texts, booleans, tensors, or lists,
        tuples and dicts of these, which may contain None.

        Raises `CandidateFault` where it is not filled in yet.
        """
        answer = _filled_in(self._value(name), f"`{name}`")
        self._report("value", answer)
        return answer

    def _value(self, name: str) -> Any:
        """Return the assigned value. It is asked for once and cached for all checks and precisions,
        so that the candidate cannot change it.
        """
        self.plain_answers.add(name)
        if name not in self.values:
            self.values[name] = self.ask("value", {"name": name}, about=name, record=False)
        return copy.deepcopy(self.values[name])

    def entry(self, name: str, *keys: object) -> Any:
        """Return the value under a key of the dict `name`, or under nested keys, which need not be
        spelled exactly.

        It is recorded only when it is compared. Raises `CandidateFault` where it is not filled in
        yet, `AssertionError` where there is no such key or no dict.
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
        """Build with each of these arguments; return the types of the exceptions, None for none.

        Raises `CandidateFault` where there is nothing to build yet.
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
        """Replace these names with stand-ins, from here until the check ends.

        A stand-in returns its first argument (`passes`), a given tensor, or the result of a
        module's function (or of a `partial` of one), called with a `Part` and the arguments of the
        statement in their order. The candidate gets the source of that module, which may import
        only torch, math and types. `calls` lists the calls of such stand-ins by name, with the
        arguments if `keeps`.

        Raises `GraderError` for a name alone without `passes`.
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
        """Return what the candidate has to know of a stand-in."""
        self.offers_several |= name in self.several
        several = self.several.get(name, 0) if self.as_several else 0
        return {"name": name, **self.signature(name)._asdict(), "several": several}

    def prepare(self, operation: str, arguments: dict) -> None:
        """Add a step to the beginning of the next question, in the same message; its fault is that
        question's.
        """
        self.prepared.append((operation, arguments))

    def stand_in_again(self, group: int | None) -> None:
        """Before the next question, activate the group of stand-ins that a layer was built with."""
        if group is not None and group != self.group:
            self.prepare("stand_in_again", {"group": group})
            self.group = group

    def question(self, operation: str, arguments: dict, **more: Any) -> Question:
        """Return a question that begins with the prepared steps; `more` are further fields of
        `Question`.
        """
        steps, self.prepared = [*self.prepared, (operation, arguments)], []
        return Question(steps, **more)

    def answers(self, *questions: Question) -> list:
        """Put questions in one message; return their answers, each as its `read` returns it.

        Where the code refuses a question, its `instead` is asked. Raises `CandidateFault`,
        `CandidateLost`.

            one, other = candidate.answers(layer.eval().later(x), layer.train().later(x))
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
        """Put one question; return its answer. Raises `CandidateFault`, `CandidateLost`."""
        question = self.question(operation, arguments, about=about, record=record)
        return self.answers(question)[0]

    def _note(self, question: Question, answer: Any) -> None:
        """Check the size of a plain answer, and report what is to be recorded."""
        if question.operation in ("function", "value"):
            check_plain(answer)
        if question.record:
            self._report(question.operation, answer)

    def library_calls(self, handle: int, args: list, about: str = "") -> frozenset[str]:
        """Return the names of torch's functions, operators and classes that a call of an object
        uses.

        The candidate may report any: they are compared with fixed names, and never looked up.
        """
        answer = self.ask("library_calls", {"handle": handle, "args": args}, about=about)
        with parsing_untrusted():
            self.library = frozenset(name for name in answer if isinstance(name, str))
        return self.library

    def _report(self, *answer: object) -> None:
        if self.on_answer:
            self.on_answer(*answer)

    def _compute(self, asked: dict) -> object:
        """Return the result of a played function, or the gradients of its arguments. Raises
        `ValueError` for a request of another form.
        """
        match asked:
            case {"played": int(number), "handed": list(handed), "upstream": upstream}:
                self._count(handed)
                return computed(self.played[number], handed, upstream)
        raise ValueError("no question of a played function")

    def _hear(self, calls: Any) -> None:
        """Keep the calls of stand-ins that a reply reports. Raises `ChannelError` if they have
        another form.
        """
        with parsing_untrusted():
            for one in map(read_call, calls):
                if one.kept is not None:
                    self._count(one.kept)
                self.stand_ins_used = True
                self.calls[one.part.name].append(one)

    def _count(self, handed: list) -> None:
        """Count the numbers that parts get. Raises `ValueError` for more than a check asks for:
        graders may keep them.
        """
        self.handed += check_handed(handed)
        if self.handed > MAX_IN_A_CHECK:
            raise ValueError("parts are handed more than any check asks for")


def _filled_in(value: Any, name: str) -> Any:
    if value is None:
        raise CandidateFault(Fault("open", "an exception"), f"{name} is still open.")
    return value
