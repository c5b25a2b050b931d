"""A layer that passed its checks, looked at from several sides: does it agree with itself?

No reference takes part, and no point depends on it. Where an observation fails, nothing is known.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.candidate.observing import DESCRIBING, directions, upstream_of
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.descriptions import parsing_untrusted
from autograder.engine.examiner.faults import CandidateFault, CandidateLost
from autograder.engine.examiner.making import MadeLayer
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import undisturbed

MOST = 0.5  # of an exercise's points: with no more than that, nobody needs to look
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
    kinds: frozenset[str]  # torch's classes among those of its modules


def observe(
    candidate: Candidate, runs: Sequence[CheckRun], seed: int, exercises: Collection[str]
) -> list[Observation]:
    """Look at a layer of each of these exercises that got most of its points. Raises `SandboxError`."""
    candidate.on_answer, seen = None, []
    with undisturbed():
        for exercise in dict.fromkeys(run.exercise for run in runs):
            mine = [run for run in runs if run.exercise == exercise]
            layer = _worth_a_look(mine) if exercise in exercises else None
            if layer and candidate.backend.alive:
                looked = any(run.made and run.made.looked for run in mine)
                try:
                    seen.append(_observe(candidate, layer, exercise, looked, seed))
                except (ChannelError, CandidateFault, CandidateLost, MemoryError):
                    continue
    return seen


def _worth_a_look(runs: Sequence[CheckRun]) -> MadeLayer | None:
    """The smallest layer that a passed check called, if its exercise got most of its points."""
    if sum(run.points for run in runs) <= MOST * sum(run.max_points for run in runs):
        return None
    made = [run.made.called for run in runs if run.passed and run.made and run.made.called]
    return min(made, key=lambda layer: layer.size, default=None)


def _observe(
    candidate: Candidate, layer: MadeLayer, exercise: str, looked: bool, seed: int
) -> Observation:
    torch.set_default_dtype(torch.float64 if layer.double else torch.float32)
    for step in STEPS[layer.double]:
        seed += 1
        question = {"seed": seed, "step": step, "chains": looked}
        answer = candidate.observe(layer, question)
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
            kinds=frozenset(map(str, answer["kinds"])),
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
