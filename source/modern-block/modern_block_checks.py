"""The visible checks of `modern-block`: what its notebook asks, step by step.

The notebook imports this file, and nothing hidden is in it. `toolbox.student` has what the notebook
defines when a check runs.
"""

import toolbox
from torch import tensor


@toolbox.steps("count_parameters")
def count_parameters_steps():
    answer = toolbox.student.parameters
    if answer is ...:
        raise NotImplementedError
    yield "Is it one whole number?"
    assert isinstance(answer, int), f"It is {answer!r}."


@toolbox.steps("rms_norm")
def rms_norm_steps():
    layer = toolbox.student.RMSNorm(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("fold_centering")
def fold_centering_steps():
    x = tensor([[1.0, 3.0], [2.0, 8.0]])
    answer = toolbox.student.fold_centering(x)
    yield "Does each row lose its own mean?"
    toolbox.same(answer, tensor([[-1.0, 1.0], [-3.0, 3.0]]), "batch d_model")


@toolbox.steps("swiglu")
def swiglu_steps():
    layer = toolbox.student.SwiGLU(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("pre_norm_feed_forward")
def pre_norm_feed_forward_steps():
    layer = toolbox.student.PreNormFeedForward(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("modern_block")
def modern_block_steps():
    layer = toolbox.student.ModernBlock(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("modern_stack")
def modern_stack_steps():
    layer = toolbox.student.ModernStack(4)
    (linear,) = layer.children()
    x = tensor([[1.0, 2.0, 3.0, 4.0]])
    yield "Is it twice what the linear layer answers?"
    toolbox.same(layer(x), 2 * linear(x), "batch d_model")


@toolbox.steps("gradient_by_layer")
def gradient_by_layer_steps():
    x = tensor([[1.0, 3.0], [2.0, 8.0]])
    answer = toolbox.student.gradient_by_layer(x)
    yield "Does each row lose its own mean?"
    toolbox.same(answer, tensor([[-1.0, 1.0], [-3.0, 3.0]]), "batch d_model")


@toolbox.steps("find_the_block")
def find_the_block_steps():
    x = tensor([[1.0, 3.0], [2.0, 8.0]])
    answer = toolbox.student.kind_of_block(x)
    yield "Does each row lose its own mean?"
    toolbox.same(answer, tensor([[-1.0, 1.0], [-3.0, 3.0]]), "batch d_model")
