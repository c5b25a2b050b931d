"""Exercise 8: the feed forward layer as convolutions. The linear layers are torch's own."""

import pytest
import torch
from torch import nn

D_MODEL, D_FF, BATCH, SEQ = 4, 7, 3, 5  # sizes that the notebook does not show, pairwise different
WANTED = "Sequential", "Conv1d", "ReLU"  # kinds of modules


@pytest.fixture
def made(candidate):
    """The convolutions, the linear layers of which they were made, and ours with the same weights."""

    def make(d_model=D_MODEL, d_ff=D_FF, times=1):
        ours = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        theirs = [
            candidate.build_torch("Linear", one.in_features, one.out_features) for one in ours
        ]
        for linear, one in zip(theirs, ours, strict=True):
            nn.init.normal_(one.bias)
            one.load_state_dict({name: times * value for name, value in one.state_dict().items()})
            linear.load_state_dict(one.state_dict())
        return candidate.build("as_convolution", *theirs), theirs, ours

    return make


def feed_forward(linears, x):
    """(batch, d_model, seq) -> (batch, d_model, seq)."""
    first, second = linears
    return second(torch.relu(first(x.mT))).mT


def of_large_numbers(convolutions, x):
    """What convolutions answer that were made of linear layers with large numbers: of such as compute
    small ones nobody can ask whether their numbers are copies, or learn.
    """
    answer = convolutions(x)
    assert bool((answer.abs() > 20).any()), (
        "With large numbers in the linear layers, your convolutions still compute small ones. Which "
        "of their numbers come from there?"
    )
    return answer


@pytest.mark.points(1)
def test_the_same_feed_forward_is_computed(made, tensors_agree):
    """Follow one token through both: which weight and which bias does each convolution have, what
    stands between them, and which axis of the answer are the features?"""
    for sizes in ((D_MODEL, D_FF), (D_MODEL, D_MODEL)):
        convolutions, _, ours = made(*sizes)
        x = 3 * torch.randn(BATCH, D_MODEL, SEQ)
        for part in (x, x[:1], x[..., :1]):  # also one sentence, one token of each
            assert tensors_agree(convolutions.unchanged(part), feed_forward(ours, part))


@pytest.mark.points(0.5)
def test_it_is_a_sequential_of_convolution_relu_convolution(made, noted):
    """The statement asks for an `nn.Sequential` of `nn.Conv1d`, `nn.ReLU`, `nn.Conv1d`. What does
    `print(as_convolution(linear1, linear2))` list?"""
    convolutions = made()[0]
    convolutions.library_calls(torch.randn(BATCH, D_MODEL, SEQ))  # for a note: see LIBRARY_PARTS
    root, *members = convolutions.modules()
    kinds = noted([[kind for kind in WANTED if module.is_a(kind)] for module in (root, *members)])
    assert kinds == [["Sequential"], ["Conv1d"], ["ReLU"], ["Conv1d"]]


@pytest.mark.points(0.25)
def test_a_kernel_sees_one_token(made, noted):
    """Position-wise: how many tokens does a kernel cover? The weight of an `nn.Conv1d` is (features
    out, features in, kernel size)."""
    shapes = noted(sorted(one.shape for one in made()[0].parameters() if len(one.shape) > 1))
    assert shapes == [(D_MODEL, D_FF, 1), (D_FF, D_MODEL, 1)]


@pytest.mark.points(0.5)
def test_the_weights_are_copies(made, tensors_agree):
    """The linear layers were given other weights afterwards, and your convolutions compute
    something else since then. Do both share memory?"""
    convolutions, linears, _ = made(8 * D_MODEL, 8 * D_FF, times=100)
    x = torch.randn(BATCH, 8 * D_MODEL, SEQ)
    before = of_large_numbers(convolutions, x)
    for linear in linears:
        linear.load_parameters({one.name: torch.randn(one.shape) for one in linear.parameters()})
    assert tensors_agree(convolutions(x), before)


@pytest.mark.points(0.5)
def test_the_convolutions_can_learn(made, noted):
    """Does gradient arrive at every weight of the convolutions, and at x?"""
    convolutions, _, _ = made(times=100)
    x = 3 * torch.randn(BATCH, D_MODEL, SEQ)
    of_large_numbers(convolutions.eval(), x)
    learned = [one.requires_grad for one in convolutions.parameters()]
    assert noted(len(learned) == 4 and all(learned)), (
        "Which weights and biases would an optimizer find in your convolutions, and may it change "
        "them? `[(p.shape, p.requires_grad) for p in layer.parameters()]` says so."
    )
    assert convolutions.train().learns(x)


@pytest.mark.points(0.25)
def test_the_linear_layers_stay_as_they_are(made, tensors_agree, noted):
    """After the call the linear layers can no longer learn. What did you do to them?"""
    convolutions, linears, ours = made()
    theirs = {one.identity for linear in linears for one in linear.parameters()}
    assert noted(bool({one.identity for one in convolutions.parameters()} - theirs)), (
        "What do you make of the linear layers? `print(as_convolution(linear1, linear2))` shows it."
    )
    for linear, one in zip(linears, ours, strict=True):
        x = torch.randn(BATCH, one.in_features)
        assert tensors_agree(linear(x), one(x)), (
            "After the call the linear layers compute something else. What did you write into them?"
        )
        assert noted(linear.learns(x) and all(p.requires_grad for p in linear.parameters()))
