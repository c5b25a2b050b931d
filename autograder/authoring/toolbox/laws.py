"""Laws that hold for every layer of an assignment; each function raises if a layer breaks one.

`inputs` are the tensors to call the layer with; `axes` names the dimensions of its output for the
message.
"""

import torch
from torch import Tensor, nn

from autograder.authoring.toolbox.comparing import same


def answers_alike(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless two calls of the layer in evaluation mode with these `inputs` return
    the same numbers; the layer is left in that mode. `axes`: the names of the output's dimensions
    for the message, such as "batch query key".
    """
    layer.eval()
    same(layer(*_copies(inputs)), layer(*_copies(inputs)), axes)


def rests_in_training(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless the layer returns the same numbers in training mode as in evaluation
    mode for these `inputs`; it is left in evaluation mode unless something is raised. `axes`: the
    names of the output's dimensions for the message, such as "batch query key".
    """
    target = layer.eval()(*_copies(inputs))
    same(layer.train()(*_copies(inputs)), target, axes)
    layer.eval()


def keeps_inputs(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` if calling the layer changes one of the `inputs`. `axes`: the names of their
    dimensions for the message, such as "batch query key".
    """
    given = _copies(inputs)
    layer(*given)
    for after, before in zip(given, inputs, strict=True):
        same(after, before, axes)


def learns(layer: nn.Module, *inputs: Tensor) -> None:
    """Raise `AssertionError` unless, after a backward pass from the layer's output for these
    `inputs`, every trainable parameter and every input of floating-point numbers has a gradient
    that is not all zeros.
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
