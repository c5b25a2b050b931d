"""What a grader's fixtures do while one check is put to one candidate, and what is kept of it."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from autograder.examiner.compare import GraderError, distance, size
from autograder.examiner.faults import CandidateFault
from autograder.examiner.proxy import Candidate
from autograder.examiner.transcript import MAX_HEARD, Handed, Measured, Scene, kept, outcome_of


class Asking:
    """Hands out the fixtures. Everything that is compared with a tolerance goes through here."""

    def __init__(
        self, candidate: Candidate, double: bool, own_parts: bool, surroundings: object = None
    ):
        self.candidate = candidate
        self.surroundings = surroundings
        self.double, self.own_parts = double, own_parts
        self.strains: list[float] = []  # of each comparison: 1 at its limit, at most 1 if it holds
        self.scenes: list[Scene] = []
        candidate.heard = self.hear

    def ask(self, check: Callable[..., object]) -> None:
        """Put a check, with its fixtures filled in. Raises what it raises."""
        self._begin()
        names = check.__code__.co_varnames[: check.__code__.co_argcount]
        self._play(None, partial(check, **{name: getattr(self, name) for name in names}))

    def look(self, look_around: Callable[[Candidate], object]) -> object:
        """Return what there is to know before the first check. Raises what it raises."""
        self._begin()
        self.candidate.heard = None
        return look_around(self.candidate)

    def _begin(self) -> None:
        torch.set_default_dtype(torch.float64 if self.double else torch.float32)
        self.candidate.begin(self.double, self.own_parts)

    def hear(self, operation: str, answer: object, fault: CandidateFault | None = None) -> None:
        """Keep what the candidate answered."""
        self.scenes[-1].hidden |= self.candidate.stand_ins_used
        self.scenes[-1].played |= self.candidate.played
        self._keep(outcome_of(fault) if fault else kept(operation, answer))

    def agrees(self, answer: torch.Tensor, expected: torch.Tensor) -> bool:
        """Whether shape, dtype and values are the expected ones; nothing agrees with zeros."""
        return self._holds(distance(answer, expected))

    def differs(self, answer: torch.Tensor, other: torch.Tensor) -> bool:
        """Whether an answer is another one; from zeros and from what is no number, all differ."""
        far = distance(answer, other)
        return self._holds(1 / far if far else math.inf)

    def disappears(self, answer: torch.Tensor) -> bool:
        """Whether every value is a number and practically zero."""
        return self._holds(size(answer))

    def close(self, measured: float, expected: float, within: float) -> bool:
        """Whether a number that chance has a part in is as expected."""
        self._keep(Measured(measured, within))
        return self._holds(abs(measured - expected) / within)

    def noted(self, seen: Any) -> Any:
        """Return what a check looks at, and keep it: mistakes are told apart by it."""
        self._keep(seen)
        return seen

    def attempt(self, question: Callable[[], object]) -> object:
        """Return the answer, or None where the student's code has none: another check asks for it."""
        try:
            return question()
        except (AssertionError, CandidateFault):
            return None

    def one_of(self, claim: Callable[[object], object], *cases: object) -> None:
        """Assert that a claim holds in one of several cases; raise what was wrong in the first."""
        first: Exception | None = None
        self.scenes.clear()
        for number, case in enumerate(cases):
            try:
                return self._play(number, lambda: claim(case))  # noqa: B023  called at once
            except (AssertionError, CandidateFault) as error:
                first = first or error.with_traceback(None)
        raise first or GraderError("a claim without a case")

    def _play(self, case: int | None, claim: Callable[[], object]) -> None:
        """Put a claim, as a scene of its own."""
        random = torch.default_generator.get_state()
        scene = Scene(self.double, self.own_parts, self.surroundings, random, case)
        self.scenes.append(scene)
        try:
            claim()
            scene.outcome = outcome_of(None)
        except (AssertionError, CandidateFault) as error:
            scene.outcome = outcome_of(error)
            raise

    def _keep(self, thing: object) -> None:
        heard = self.scenes[-1].heard
        if len(heard) < MAX_HEARD:
            heard.append(thing)

    def _holds(self, strain: float) -> bool:
        self.strains.append(strain)
        return strain <= 1


def told(scene: Scene, strict: bool) -> list[object]:
    """What was heard in a scene, without how things were handed over unless that counts."""
    return [thing for thing in scene.heard if strict or not isinstance(thing, Handed)]


class Enough(BaseException):
    """Nothing more has to be heard; no check of ours catches this."""


class Repeating(Asking):
    """Puts one scene again, to another candidate. Unless `strict`, handing over may be different."""

    def __init__(self, candidate: Candidate, scene: Scene, strict: bool):
        super().__init__(candidate, scene.double, scene.own_parts, scene.surroundings)
        self.scene, self.strict = scene, strict
        self.known = told(scene, strict)
        self.heard: list[object] = []
        self.tolerated: frozenset[int] = frozenset()  # places at which chance decides
        self.departs: int | None = None  # the place of the first answer that is another
        self.until: int | None = None  # the last place to listen to, if nothing is to be compared

    def repeat(self, check: Callable[..., object]) -> object:
        """Put it again until an answer is another one, or to the end; return how it ended."""
        return outcome_of(self._again(check))

    def listen(self, check: Callable[..., object], until: int) -> object:
        """Return the answer at this place; None if it does not come so far."""
        self.until = until
        self._again(check)
        return self.heard[until] if len(self.heard) > until else None

    def one_of(self, claim: Callable[[object], object], *cases: object) -> None:
        assert self.scene.case is not None
        claim(cases[self.scene.case])

    def _again(self, check: Callable[..., object]) -> BaseException | None:
        torch.default_generator.set_state(self.scene.random)
        try:
            self.ask(check)
        except (Exception, Enough) as error:  # a mistaken layer may break a check of ours, too
            return error
        return None

    def _keep(self, thing: object) -> None:
        """Raise `Enough` unless this was heard from the student, too, or chance decides it."""
        place = len(self.heard)
        if place == MAX_HEARD or (isinstance(thing, Handed) and not self.strict):
            return
        self.heard.append(thing)
        if self.until is not None:
            if place == self.until:
                raise Enough
        elif place not in self.tolerated and self.known[place : place + 1] != [thing]:
            self.departs = place
            raise Enough
