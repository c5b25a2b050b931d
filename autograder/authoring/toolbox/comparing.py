"""Compare a tensor with its target, and describe in words where they differ."""

import torch
from torch import Tensor, nn

TABLE = 12  # maximal number of rows and columns that are drawn


class Differs(AssertionError):
    """A tensor differs from its target.

    `yours` and `target` hold the parts of both that are drawn side by side, or None.
    """

    def __init__(
        self,
        message: str,
        yours: Tensor | None = None,
        target: Tensor | None = None,
        corner: tuple[int, int] = (0, 0),
    ):
        """`corner`: the row and column of the whole tensors at which the two parts begin."""
        super().__init__(message)
        self.yours, self.target = yours, target  # tables of the same shape
        self.corner = corner


def same(yours: Tensor, target: Tensor, axes: str = "", atol: float = 1e-5) -> None:
    """Raise `Differs` unless the tensor `yours` has the shape and the numbers of `target`.

    `atol` is both the absolute and the relative tolerance. `axes`: the names of the dimensions for
    the message, such as "batch query key".
    """
    has_shape(yours, *target.shape)
    yours, target = yours.detach().double(), target.detach().double()
    equal = torch.isclose(yours, target, rtol=atol, atol=atol)
    if equal.all():
        return
    first = tuple((~equal).nonzero()[0].tolist())
    share = int(100 * equal.double().mean())  # rounded down: never 100 if a value is wrong
    index_names = ", ".join(f"{name} {i}" for name, i in zip(axes.split(), first, strict=False))
    location = index_names or (f"at {[*first]}" if first else "the number")
    message = (
        f"Shape {_shape(yours)} is right; {share}% of the values are. The first other one, "
        f"{location}: {_two_numbers(yours[first].item(), target[first].item())}."
    )
    row, column = (0, 0, *first)[-2:]
    corner = row // TABLE * TABLE, column // TABLE * TABLE
    tables = [_table(tensor, first, corner) for tensor in (yours, target)]
    raise Differs(message, tables[0], tables[1], corner)


def has_shape(yours: Tensor, *sizes: int) -> None:
    """Raise `Differs` unless `yours` is a tensor of the shape `sizes`."""
    if not isinstance(yours, Tensor):
        raise Differs(f"This is no tensor but {kind_of(yours)}")
    if yours.shape != sizes:
        raise Differs(f"Your shape is {_shape(yours)}, it should be {tuple(sizes)}.")


def _table(tensor: Tensor, place: tuple[int, ...], corner: tuple[int, int]) -> Tensor:
    """Return the part of a tensor's last two dimensions that begins at `corner`.

    `place`: the index of an entry, which picks the other dimensions.
    """
    table = torch.atleast_2d(tensor[place[:-2]])
    return table[corner[0] :, corner[1] :][:TABLE, :TABLE]


def kind_of(answer: object) -> str:
    """Describe a value that should be a tensor, with a likely reason."""
    if answer is None:
        return "None: is a `return` missing?"
    if isinstance(answer, nn.Module):
        return f"a layer, {type(answer).__name__}: it is made here, and was to be called."
    if isinstance(answer, tuple | list):
        return f"a {type(answer).__name__} of {len(answer)}: is the output returned alone?"
    return f"of type {type(answer).__name__}."


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))


def _two_numbers(yours: float, target: float) -> str:
    """Return both numbers as text, with enough digits to see that they differ."""
    texts = [[f"{number:.{digits}g}" for number in (yours, target)] for digits in range(3, 10)]
    return "yours {}, should be {}".format(
        *next((two for two in texts if two[0] != two[1]), texts[-1])
    )
