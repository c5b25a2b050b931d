"""Laws that hold for every layer of an assignment. Each function raises if a layer breaks its law.

`inputs` are the tensors to call the layer with. `axes` names the dimensions of the compared tensors
for the message, such as "batch query key".
"""

import torch
from torch import Tensor, nn

from autograder.authoring.toolbox.comparing import same


def answers_alike(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless two calls in evaluation mode return the same numbers.

    The layer is left in evaluation mode.
    """
    layer.eval()
    same(layer(*_copies(inputs)), layer(*_copies(inputs)), axes)


def rests_in_training(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless training mode and evaluation mode return the same numbers.

    The layer is left in evaluation mode unless something is raised.
    """
    target = layer.eval()(*_copies(inputs))
    same(layer.train()(*_copies(inputs)), target, axes)
    layer.eval()


def keeps_inputs(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` if calling the layer changes an input."""
    copies = _copies(inputs)
    layer(*copies)
    for copy, original in zip(copies, inputs, strict=True):
        same(copy, original, axes)


def learns(layer: nn.Module, *inputs: Tensor) -> None:
    """Raise `AssertionError` if a parameter or an input gets no gradient.

    A gradient of zeros counts as none. All trainable parameters and all floating-point inputs are
    tested.
    """
    leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    answer = layer(*_copies(leaves))
    assert answer.requires_grad, "No gradient comes back through the output at all."
    layer.zero_grad()
    (answer * torch.randn_like(answer)).sum().backward()
    idle = [name for name, weight in layer.named_parameters() if _is_idle(weight)]
    assert not idle, f"No gradient arrives at {', '.join(idle)}."
    cut = [i for i, x in enumerate(leaves, start=1) if x.requires_grad and _is_idle(x)]
    assert not cut, f"No gradient arrives at input {cut[0]} of {len(inputs)}."


def _is_idle(tensor: Tensor) -> bool:
    """Whether a tensor that should get a gradient has none, or only zeros."""
    return tensor.requires_grad and (tensor.grad is None or not tensor.grad.any())


def _copies(tensors) -> list[Tensor]:
    return [tensor.clone() for tensor in tensors]
