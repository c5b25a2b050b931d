"""Two calculations as an article prints them: what they start from, each step as printed, each as it is."""

from collections.abc import Callable
from itertools import takewhile

import torch
from torch import Tensor

INPUTS: dict[str, dict[str, list]] = {
    "add and norm": {"x": [1.0, 2.0, 3.0, 4.0], "sub-layer output": [0.5, -0.3, 0.2, 0.1]},
    "feed forward": {
        "x": [0.5, 1.0, -0.5, 0.3],
        "W1": [[0.2, 0.3, 0.1], [0.4, -0.1, 0.5], [0.1, 0.2, -0.3], [-0.2, 0.4, 0.2]],
        "b1": [0.1, -0.1, 0.2],
        "W2": [[0.5, 0.2, -0.1, 0.3], [0.1, 0.4, 0.2, -0.2], [-0.3, 0.1, 0.5, 0.4]],
        "b2": [0.0, 0.0, 0.0, 0.0],
    },
}
PRINTED: dict[str, dict[str, float | list[float]]] = {
    "add and norm": {
        "sum": [1.5, 1.7, 3.2, 4.1],
        "mean": 2.625,
        "variance": 1.359,
        "normalised": [-0.97, -0.79, 0.49, 1.27],
    },
    "feed forward": {
        "hidden": [0.47, 0.47, -0.09],
        "relu": [0.47, 0.47, 0.0],
        "output": [0.28, 0.28, 0.05, 0.05],
    },
}


Known = dict[str, Tensor]  # what is given, and the steps so far
EQUATIONS: dict[str, dict[str, Callable[[Known], Tensor]]] = {
    "add and norm": {
        "sum": lambda known: known["x"] + known["sub-layer output"],
        "mean": lambda known: known["sum"].mean(),
        "variance": lambda known: (known["sum"] - known["mean"]).square().mean(),
        "normalised": lambda known: (known["sum"] - known["mean"]) / known["variance"].sqrt(),
    },
    "feed forward": {
        "hidden": lambda known: known["x"] @ known["W1"] + known["b1"],
        "relu": lambda known: known["hidden"].relu(),
        "output": lambda known: known["relu"] @ known["W2"] + known["b2"],
    },
}
MOST_NUMBERS = 100  # of a tensor that is read as a step


def right_steps(calculation: str, **own: Tensor) -> dict[str, Tensor]:
    """Each step of one of the two calculations; steps after those in `own` follow from these."""
    known = {name: torch.tensor(values) for name, values in INPUTS[calculation].items()}
    for name, equation in EQUATIONS[calculation].items():
        known[name] = own.get(name, equation(known))
    return {name: known[name] for name in EQUATIONS[calculation]}


def values_that_follow(calculation: str, name: str, own: dict[str, Tensor | None]) -> list[Tensor]:
    """The right value of a step, and such as follow from the student's own steps before it: from one of
    them, or from all. Own steps and what follows have to be about as large as the right ones: of zeros
    only zeros follow, and behind a huge variance anything does.

        values_that_follow("add and norm", "mean", {"sum": torch.ones(4)})
    """
    right, before = right_steps(calculation), dict[str, Tensor]()
    for step in takewhile(lambda step: step != name, right):
        numbers = own.get(step)
        if numbers is not None and is_as_large(numbers, right[step]):
            before[step] = numbers
    taken = [{}, *({step: numbers} for step, numbers in before.items()), before]
    values = [right_steps(calculation, **steps)[name] for steps in taken]
    return [value for value in values if is_as_large(value, right[name])]


def is_as_large(numbers: Tensor | None, right: Tensor) -> bool:
    """Whether they vary as much as the right ones, give or take a factor: then digits tell something."""
    if numbers is None or numbers.shape != right.shape:
        return False
    spread, usual = (one.max() - one.min() if one.dim() else one.abs() for one in (numbers, right))
    factor = 20 if right.dim() else 400  # a variance is a square
    return bool((usual / factor < spread) & (spread < factor * usual))


def is_printed(calculation: str, step: str, numbers: Tensor | None) -> bool:
    """Whether these are the numbers that the article prints."""
    return numbers is not None and torch.equal(numbers, torch.tensor(PRINTED[calculation][step]))


def first_wrong_step(calculation: str) -> str:
    """The first printed step that is not the right one, to the digits that are printed."""
    right, printed = right_steps(calculation), PRINTED[calculation]
    return next(
        name
        for name, value in right.items()
        if not torch.allclose(value, torch.tensor(printed[name]), atol=6e-3, rtol=0)
    )


def unwrapped(answer: object) -> object:
    """A row of a table counts as the row, a list of one as the one: tensor([[1.5, 2.0]]) -> [1.5, 2.0]."""
    if isinstance(answer, Tensor) and answer.numel() <= MOST_NUMBERS:
        answer = answer.tolist()
    while isinstance(answer, list | tuple) and len(answer) == 1:
        answer = answer[0]
    return answer


def numbers_of(answer: object) -> Tensor | None:
    """An answer as a tensor of numbers: ["1,5", 2] -> tensor([1.5, 2.0]); None where it is none."""
    items = answer if isinstance(answer, list | tuple) else [answer]
    try:
        numbers = torch.tensor([_number(item) for item in items])
    except (ValueError, RuntimeError):
        return None
    numbers = numbers if items is answer else numbers[0]
    return numbers if numbers.isfinite().all() else None


def _number(item: object) -> float:
    return item.item() if isinstance(item, Tensor) else float(str(item).replace(",", "."))
