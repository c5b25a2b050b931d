"""Laws that every layer keeps: each function lets a good layer pass and stops one that breaks the law."""

import pytest
import torch
from torch import nn

from autograder.authoring.toolbox_file import toolbox_module

TOOLBOX = toolbox_module()  # as it is released
Differs = TOOLBOX.Differs
answers_alike = TOOLBOX.answers_alike
keeps_inputs = TOOLBOX.keeps_inputs
learns = TOOLBOX.learns
rests_in_training = TOOLBOX.rests_in_training

X = torch.randn(2, 3, 4)


class Acts(nn.Module):
    """A linear layer, and something that acts on its input and output."""

    def __init__(self, act):
        super().__init__()
        self.linear, self.act = nn.Linear(4, 4), act

    def forward(self, x):
        return self.act(self, x)


def drops_always(layer, x):
    return nn.functional.dropout(layer.linear(x), 0.5)


def drops_in_training(layer, x):
    return nn.functional.dropout(layer.linear(x), 0.5, layer.training)


def changes_x(layer, x):
    return layer.linear(x.mul_(2))


def cuts_x(layer, x):
    return layer.linear(x.detach())


def cuts_all(layer, x):
    return layer.linear(x).detach()


def uses_no_weight(layer, x):
    return 2 * x


def is_good(layer, x):
    return layer.linear(x)


LAWS = answers_alike, rests_in_training, keeps_inputs, learns


@pytest.mark.parametrize("law", LAWS)
def test_a_good_layer_keeps_every_law(law):
    layer = Acts(is_good)
    law(layer, X)
    assert layer(X).shape == X.shape


@pytest.mark.parametrize(
    ("law", "act", "said"),
    [
        (answers_alike, drops_always, "of the values"),
        (rests_in_training, drops_in_training, "of the values"),
        (keeps_inputs, changes_x, "of the values"),
        (learns, cuts_x, "arrives at input 1 of 1"),
        (learns, cuts_all, "at all"),
        (learns, uses_no_weight, "arrives at linear.weight, linear.bias"),
    ],
)
def test_a_layer_that_breaks_a_law_is_stopped(law, act, said):
    with pytest.raises(AssertionError, match=said):
        law(Acts(act), X)
