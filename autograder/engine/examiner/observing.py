"""Answers that passed their checks, looked at from more sides: does a layer agree with itself, and what
has torch ready-made that is called?

No reference takes part, and no point depends on it. Where an observation fails, nothing is known.
"""

import contextlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.candidate.observing import DESCRIBING, HOOKS, directions, upstream_of
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.descriptions import parsing_untrusted
from autograder.engine.examiner.faults import CandidateFault, CandidateLost
from autograder.engine.examiner.making import MadeCall
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import undisturbed

UNKNOWN = (ChannelError, CandidateFault, CandidateLost, MemoryError)
MOST = 0.5  # of an exercise's points: with no more than that, nobody needs to look at a layer
STEPS = {True: (1e-3, 1e-4), False: (1e-2, 1e-3)}  # by precision: of the second look, a smaller one
SLACK = 0.05  # in which slopes and gradients agree; a step over a kink of ReLU shifts them
TORCHS = frozenset(dir(torch.nn))  # names that a note may repeat
CHAINED = 1e-3  # in which a chain and its members agree


@dataclass(frozen=True)
class Observation:
    """What one exercise's layer gave away about itself."""

    exercise: str
    gradients_fit: bool
    chains_fit: bool  # True where no check looked at what the layer is made of
    lists_all: bool  # whatever it learns is one of its parameters
    describing: frozenset[str]  # what the student's code says in nn.Module's place
    replaced: frozenset[str]  # torch's classes whose `forward` is no longer torch's
    hooks: frozenset[str]  # kinds of hooks that may answer for it


def observe(
    candidate: Candidate, runs: Sequence[CheckRun], seed: int, exercises: Collection[str]
) -> list[Observation]:
    """Look at a layer of each of these exercises that got most of its points. Raises `SandboxError`."""
    seen = []
    for exercise, mine in _by_exercise(runs).items():
        earned = sum(run.points for run in mine) > MOST * sum(run.max_points for run in mine)
        layer = _smallest(mine, layers=True) if exercise in exercises and earned else None
        if layer and candidate.backend.alive:
            looked = any(run.made and run.made.looked for run in mine)
            with undisturbed(), contextlib.suppress(*UNKNOWN):
                seen.append(_observe(candidate, layer, exercise, looked, seed))
    return seen


def library_calls(
    candidate: Candidate, runs: Sequence[CheckRun], exercises: Collection[str]
) -> dict[str, frozenset[str]]:
    """Return what of torch's the answers to these exercises call, and what checks found of others."""
    found = {}
    for exercise, mine in _by_exercise(runs).items():
        asked = [run.made.library for run in mine if run.made and run.made.library is not None]
        made = _smallest(mine, layers=False) if exercise in exercises and not asked else None
        if asked:
            found[exercise] = frozenset[str]().union(*asked)
        elif made and candidate.backend.alive:
            with undisturbed(), contextlib.suppress(*UNKNOWN):
                candidate.prepare_again(made)
                found[exercise] = candidate.library_calls(made.call)
    return found


def _by_exercise(runs: Sequence[CheckRun]) -> dict[str, list[CheckRun]]:
    exercises = dict.fromkeys(run.exercise for run in runs)
    return {name: [run for run in runs if run.exercise == name] for name in exercises}


def _smallest(runs: Sequence[CheckRun], layers: bool) -> MadeCall | None:
    """The first call of a passed check that was handed least, of a layer or of anything."""
    made = [run.made.called for run in runs if run.passed and run.made and run.made.called]
    some = [one for one in made if "handle" in one.call or not layers]
    return min(some, key=lambda call: call.size, default=None)


def _observe(
    candidate: Candidate, layer: MadeCall, exercise: str, looked: bool, seed: int
) -> Observation:
    for step in STEPS[layer.double]:
        seed += 1
        candidate.prepare_again(layer)
        question = layer.call | {"seed": seed, "step": step, "chains": looked}
        answer = candidate.ask("observe", question)
        with parsing_untrusted():
            if fit := _gradients_fit(answer, seed, step):
                break
    with parsing_untrusted():
        return Observation(
            exercise,
            gradients_fit=fit,
            chains_fit=all(_near(whole, parts) for whole, parts in answer["chains"]),
            lists_all=answer["unlisted"] is not True,
            describing=DESCRIBING & frozenset(answer["describing"]),
            replaced=TORCHS & frozenset(answer["replaced"]),
            hooks=HOOKS & frozenset(answer["hooks"]),
        )


def _gradients_fit(answer: dict, seed: int, step: float) -> bool:
    """Whether the slope to an answer's neighbour is the one that its gradients promise.

    What is no number is left to the checks.
    """
    generator = torch.Generator().manual_seed(seed)
    here, gradients = answer["answer"], answer["gradients"]
    apart = _apart(answer["beside"], here)
    slope = (apart * upstream_of(here, generator)).sum().item() / step
    ways = directions(gradients, generator)
    promised = [(g * way).sum().item() for g, way in zip(gradients, ways, strict=True)]
    usual = math.sqrt(sum(part * part for part in promised))
    return not abs(slope - sum(promised)) > SLACK * max(usual, abs(slope))


def _near(whole: torch.Tensor, parts: torch.Tensor) -> bool:
    return not _apart(whole, parts).norm() > CHAINED * parts.norm()


def _apart(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """The difference of two tensors of one shape: others would make each other as wide as can be."""
    if one.shape != other.shape:
        raise ValueError("tensors of two shapes")
    return one - other
