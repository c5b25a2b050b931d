"""Record a candidate's answers during a check, so that mutants can be compared with it.

`tensors_agree(layer(x), expected)` adds `[TensorSample((2, 5, 8), 80 numbers)]`,
`number_is_close(share, 0.9, within=0.05)` adds `MeasuredNumber(0.83, 0.05)`, `noted(shapes)` adds
the shapes. The outcome is recorded last: `("wrong", message)`.
"""

import hashlib
import math
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.faults import CandidateFault
from autograder.engine.examiner.forgiving import LenientValue

SAMPLES = 1000  # numbers kept of each tensor, so that no answer fills the examiner's memory
MAX_ANSWERS = 120  # kept of each recording
PYTESTS_OWN = "\nassert "  # pytest adds this to an author's message in files that it rewrites
MAX_RECORDED = 100_000  # numbers and characters kept of one attempt (19,000 of a correct answer)


@dataclass(frozen=True)
class TensorSample:
    """A tensor's shape and some of its numbers.

    Two are equal if shape and dtype are equal, and the numbers within the tolerance.
    """

    shape: tuple[int, ...]
    values: torch.Tensor

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSample) or self.shape != other.shape:
            return False
        values, other_values = self.values, other.values
        if not values.is_floating_point():
            return values.dtype == other_values.dtype and torch.equal(values, other_values)
        return values.dtype == other_values.dtype and torch.allclose(
            values, other_values, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True
        )


@dataclass(frozen=True)
class MeasuredNumber:
    """A measured number that depends on chance, with its tolerance `within`.

    Two are equal if they differ by at most twice the tolerance.
    """

    value: float
    within: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeasuredNumber):
            return False
        if not (math.isfinite(self.value) and math.isfinite(other.value)):
            return str(self.value) == str(other.value)  # nan or inf
        return abs(self.value - other.value) <= 2 * self.within


class OmittedAnswer:
    """Stands for an answer that was too large to keep.

    It equals nothing, so no mutant explains the check.
    """

    def __eq__(self, other: object) -> bool:
        return False


@dataclass
class Recording:
    """One attempt at a check: its conditions, the candidate's answers, and the outcome."""

    double: bool  # in float64
    own_parts: bool
    surroundings: object
    random: torch.Tensor  # the state of the grader's random numbers at the beginning
    stand_ins_offered: bool = False  # the check replaced parts by stand-ins
    stand_ins_used: frozenset[str] = frozenset()  # parts with stand-ins that the code used
    answers: list[object] = field(default_factory=list)
    outcome: object = None  # see `outcome_of`

    def question(self) -> tuple:
        """Return a hashable key of the attempt's conditions: parts, `surroundings`, random numbers.

        In one run of the grader, two students with the same questions have the same key.
        """
        random = hashlib.sha256(self.random.numpy().tobytes()).digest()
        return self.own_parts, self.stand_ins, repr(self.surroundings), random

    @property
    def stand_ins(self) -> frozenset[str] | None:
        """The parts that a replay replaces by stand-ins, as in the attempt.

        None if the check replaces no parts.
        """
        return self.stand_ins_used if self.stand_ins_offered else None

    def failed_by_an_answer(self) -> bool:
        """Whether an assertion failed after an answer was recorded, not only because the code
        raised.
        """
        wrong = isinstance(self.outcome, tuple) and self.outcome[0] == "wrong"
        kinds = list | MeasuredNumber | LenientValue
        return wrong and any(isinstance(answer, kinds) for answer in self.answers)


def outcome_of(error: BaseException | None) -> object:
    """Return how a check ended.

    This is None if `error` is None, ("fault", kind, type, template name) for a candidate's fault,
    and ("wrong", first line of the message) for any other exception. An `assert` without a message
    has "".
    """
    if isinstance(error, CandidateFault):
        return "fault", error.fault.kind, error.fault.type, error.fault.template
    if error is None:
        return None
    line = str(error).partition("\n")[0]
    # pytest writes the compared numbers there, which differ for a mutant with dropout
    return "wrong", "" if line.startswith(PYTESTS_OWN.strip()) else line


def recorded(operation: str, answer: Any) -> object:
    """Return the recorded part of an answer to this operation: numbers, shapes and refusals.

    Names and modules are not recorded, because they differ between correct solutions.
    """
    match operation:
        case "call":
            return [_sample(item) for item in answer] if isinstance(answer, list) else None
        case "function":
            return plain_sample(answer)
        case "value":
            return [plain_sample(answer)]
        case "refusals":
            return answer
        case "gradients" if isinstance(answer, dict):
            arguments, parameters = answer.get("arguments"), answer.get("parameters")
            if isinstance(arguments, list) and isinstance(parameters, dict):
                cut = any(gradient is None for gradient in parameters.values())
                return [_sample(item) for item in arguments], cut
    return None


def _sample(item: object) -> object:
    """Return a sample of a layer's answer.

    Of a tensor it has the numbers, or dtype and shape if it is not floating-point. Of anything else
    it has the name of the type. Only the first item of a tuple or list is sampled: the others are
    further results, or the arguments that came back.
    """
    while isinstance(item, list | tuple) and item:
        item = item[0]
    if not isinstance(item, torch.Tensor):
        return type(item).__name__
    if item.dtype not in (torch.float64, torch.float32):
        return str(item.dtype), tuple(item.shape)
    return _tensor_sample(item)


def plain_sample(item: object) -> object:
    """Return the recorded part of a function's answer or of a value.

    Of a tensor, this is a `TensorSample` of at most SAMPLES numbers. A float is kept as a tensor of
    one number. A list, tuple or dict becomes a list of the samples of at most MAX_ANSWERS items.
    Those of a dict are `[repr(key), sample]`, sorted by this text. Anything else stays unchanged.
    """
    match item:
        case torch.Tensor():
            return _tensor_sample(item.detach())
        case float():
            return TensorSample((), torch.tensor([item], dtype=torch.float64))
        case list() | tuple():
            return [plain_sample(part) for part in item[:MAX_ANSWERS]]
        case dict():
            pairs = sorted(item.items(), key=lambda pair: repr(pair[0]))
            return [[repr(key), plain_sample(part)] for key, part in pairs[:MAX_ANSWERS]]
    return item


def numbers_in(recorded: object) -> int:
    """Return the number of numbers and characters in a recorded answer, to limit memory."""
    match recorded:
        case TensorSample():
            return recorded.values.numel()
        case LenientValue():
            return numbers_in(plain_sample(recorded.value))
        case list() | tuple():
            return 1 + sum(map(numbers_in, recorded))
        case str():
            return len(recorded)
    return 1


def _tensor_sample(tensor: torch.Tensor) -> TensorSample:
    flat = tensor.detach().flatten()
    if flat.numel() > SAMPLES:
        flat = flat[:: -(-flat.numel() // SAMPLES)]
    return TensorSample(tuple(tensor.shape), flat.clone())
