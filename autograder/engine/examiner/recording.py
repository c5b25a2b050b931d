"""Record what a candidate answered during a check, so that mutants can be compared with it.

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
PYTESTS_OWN = "\nassert "  # what it adds to an author's words, where it rewrites their file
MAX_RECORDED = 100_000  # numbers and characters kept of one try of a check (19,000 of a right one)


@dataclass(frozen=True)
class TensorSample:
    """A tensor's shape and some of its numbers. Two are equal if shape and dtype are equal, and the
    numbers within the tolerance.
    """

    shape: tuple[int, ...]
    values: torch.Tensor

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSample) or self.shape != other.shape:
            return False
        mine, theirs = self.values, other.values
        if not mine.is_floating_point():
            return mine.dtype == theirs.dtype and torch.equal(mine, theirs)
        return mine.dtype == theirs.dtype and torch.allclose(
            mine, theirs, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True
        )


@dataclass(frozen=True)
class MeasuredNumber:
    """A measured number that depends on chance, with its tolerance `within`. Two are equal if they
    differ by at most twice that.
    """

    value: float
    within: float

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeasuredNumber):
            return False
        if not (math.isfinite(self.value) and math.isfinite(other.value)):
            return str(self.value) == str(other.value)  # of what is no number, nan or inf
        return abs(self.value - other.value) <= 2 * self.within


class OmittedAnswer:
    """Stands for an answer that was too large to keep. It equals nothing, so no mutant explains the
    check.
    """

    def __eq__(self, other: object) -> bool:
        return False


@dataclass
class Recording:
    """What is known of one attempt at a check: how the candidate was asked, its answers, and the
    outcome (see `outcome_of`).

    `double`: whether in float64; `random`: the state of the grader's random numbers at the
    beginning; `stand_ins_offered`: whether the check replaced parts by stand-ins; `stand_ins_used`:
    the names of the parts whose stand-ins the student's code built or called.
    """

    double: bool
    own_parts: bool
    surroundings: object
    random: torch.Tensor  # the state of the grader's random numbers at the beginning
    stand_ins_offered: bool = False  # whether stand-ins were there to be built with,
    stand_ins_used: frozenset[str] = frozenset()  # and which were
    answers: list[object] = field(default_factory=list)
    outcome: object = None

    def question(self) -> tuple:
        """Return a hashable key of what was asked: own parts or stand-ins, `surroundings`, and the
        state of the random numbers.

        In one run of the grader, two students who were asked the same have the same key.
        """
        random = hashlib.sha256(self.random.numpy().tobytes()).digest()
        return self.own_parts, self.stand_ins, repr(self.surroundings), random

    @property
    def stand_ins(self) -> frozenset[str] | None:
        """The names of the parts that a replay replaces by stand-ins: those whose stand-ins the
        student's code used. None if the check replaces no parts.
        """
        return self.stand_ins_used if self.stand_ins_offered else None

    def failed_by_an_answer(self) -> bool:
        """Whether an assertion failed after a tensor, measured number or value was recorded; not if
        the code only raised.
        """
        wrong = isinstance(self.outcome, tuple) and self.outcome[0] == "wrong"
        kinds = list | MeasuredNumber | LenientValue
        return wrong and any(isinstance(one, kinds) for one in self.answers)


def outcome_of(error: BaseException | None) -> object:
    """Return how a check ended: None if `error` is None; ("fault", kind, type, name of its
    template) for a candidate's fault; for any other exception ("wrong", first line of its message),
    where an `assert` without a message has "".
    """
    if isinstance(error, CandidateFault):
        return "fault", error.fault.kind, error.fault.type, error.fault.template
    if error is None:
        return None
    line = str(error).partition("\n")[0]
    # pytest writes the compared numbers there, and those of a mutant with dropout are others
    return "wrong", "" if line.startswith(PYTESTS_OWN.strip()) else line


def recorded(operation: str, answer: Any) -> object:
    """Return what is recorded of an answer to this operation: numbers, shapes and refusals; None
    for an operation that is not recorded.

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
    """Return a sample of a layer's answer: of a tensor its numbers, or dtype and shape if it is not
    floating-point; of anything else the name of its type. Of a tuple or list, only the first item
    is sampled: the others are further results, or the arguments that came back.
    """
    while isinstance(item, list | tuple) and item:
        item = item[0]
    if not isinstance(item, torch.Tensor):
        return type(item).__name__
    if item.dtype not in (torch.float64, torch.float32):
        return str(item.dtype), tuple(item.shape)
    return _tensor_sample(item)


def plain_sample(item: object) -> object:
    """Return what a recording keeps of a function's answer or of a value: of a tensor, at most
    SAMPLES numbers and its shape (a `TensorSample`); a float is kept as a tensor of one number, and
    anything else as it is.

    Of a list, tuple or dict, return a list of the samples of at most MAX_ANSWERS items; those of a
    dict are `[repr(key), sample]`, sorted by this text.
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
    """Return how many numbers and characters a recorded answer holds, to limit the memory of a
    recording.
    """
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
