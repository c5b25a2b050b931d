"""What `same` lets pass, and what it says."""

import pytest
import torch

from autograder.authoring.toolbox_file import toolbox_module

TOOLBOX = toolbox_module()  # as it is released
TABLE = TOOLBOX.TABLE
Differs = TOOLBOX.Differs
same = TOOLBOX.same

TARGET = torch.zeros(2, 3)


def difference(yours, target=TARGET, axes="") -> Differs:
    with pytest.raises(Differs) as raised:
        same(yours, target, axes)
    return raised.value


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "is a `return` missing?"),
        ((TARGET, TARGET), "a tuple of 2: is the output returned alone?"),
        ([], "a list of 0"),
        (TARGET.numpy(), "of type ndarray"),
        (torch.zeros(3, 2), "Your shape is (3, 2), it should be (2, 3)."),
        (torch.tensor(0.0), "Your shape is (), it should be (2, 3)."),
    ],
)
def test_what_is_no_such_tensor_is_named_and_not_drawn(answer, words):
    error = difference(answer)
    assert words in str(error) and error.yours is None


@pytest.mark.parametrize("shape", [(2, 3), (), (0,), (2, 0)])
def test_equal_numbers_pass_in_every_shape_and_type(shape):
    numbers = torch.ones(shape)
    same(numbers + 1e-6, numbers)
    same(numbers.long(), numbers)
    same(numbers.requires_grad_(), numbers.double())


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 0.125])
def test_the_first_other_number_is_told_by_the_names_of_its_axes(number):
    yours = TARGET.clone()
    yours[1, 1:] = number
    message = str(difference(yours, axes="query key"))
    assert f"query 1, key 1: yours {number:.3g}, should be 0." in message
    assert "Shape (2, 3) is right; 66% of the values are." in message


@pytest.mark.parametrize(
    ("yours", "said"),
    [
        (1.5, "yours 1.5, should be 1."),
        (1.00012345, "yours 1.0001,"),
        (1.000020001, "yours 1.00002,"),
    ],
)
def test_no_more_digits_are_told_than_show_the_difference(yours, said):
    assert said in str(difference(torch.tensor([yours]), torch.ones(1), "feature"))


def test_infinite_numbers_are_equal_only_with_one_sign():
    infinite = torch.tensor([float("inf")])
    same(infinite, infinite)
    assert "yours -inf, should be inf" in str(difference(-infinite, infinite))


@pytest.mark.parametrize("shape", [(), (30,), (30, 40), (2, 30, 40), (2, 3, 30, 40)])
def test_the_tables_hold_the_first_other_number_and_stay_small(shape):
    target = torch.zeros(shape)
    yours = target.clone()
    yours[tuple(size - 1 for size in shape)] = 5
    error = difference(yours, target)
    assert error.yours.shape == error.target.shape and error.yours.dim() == 2
    assert max(error.yours.shape) <= TABLE and error.yours.max() == 5 and not error.target.any()
    row, column = (1, 1, *shape)[-2:]
    top, left = error.corner
    assert error.yours[row - 1 - top, column - 1 - left] == 5
