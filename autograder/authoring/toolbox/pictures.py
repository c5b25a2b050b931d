"""Draw pictures that can be read on light and dark pages, and by screen readers."""

import base64
import html
import io
import math
import zlib
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import torch
from IPython.display import display
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from torch import Tensor

from autograder.authoring.toolbox.comparing import Differs, kind_of

GREY = "#808080"  # can be read on white and on black
DPI = 110
LABEL = 0.19  # inches that a row or a column with a label needs
WIDEST = 8.2  # inches: a page of 775 pixels shows them without scrolling
plt.rc("text", color=GREY)
plt.rc("xtick", color=GREY)
plt.rc("ytick", color=GREY)
plt.rc("axes", edgecolor=GREY, labelcolor=GREY, facecolor="none")
plt.rc("figure", facecolor="none")
plt.rc("savefig", facecolor="none")
plt.rc("legend", framealpha=0)


def show(figure: Figure, alt: str) -> None:
    """Show a figure below the cell, and close it. `alt`: its description for screen readers."""
    png = io.BytesIO()
    width = round(DPI * figure.get_figwidth())
    figure.savefig(png, format="png", dpi=DPI)
    plt.close(figure)
    image = base64.b64encode(png.getvalue()).decode()
    min_width = round(0.85 * width)  # on a narrow page it scrolls, to stay readable
    style = f"width: {width}px; max-width: max(100%, {min_width}px)"
    picture = picture_html(f"data:image/png;base64,{image}", alt, style)
    display({"text/html": picture, "text/plain": alt}, raw=True)


def close_figures() -> None:
    """Close all unfinished figures. Otherwise the notebook would show them half drawn."""
    plt.close("all")


def picture_html(address: str, alt: str, style: str) -> str:
    """Return the HTML of a picture that scrolls if it is wider than the page.

    `alt`: its description for screen readers. `style`: its CSS.
    """
    image = f'<img alt="{html.escape(alt)}" style="{style}" src="{address}">'
    return f'<div style="overflow-x: auto">{image}</div>'


def heatmaps(
    grids: dict[str, Tensor],
    rows: list[str],
    columns: list[str] | tuple = (),
    alt: str = "",
    cmap: str = "Purples",
    vmin: float = 0.0,
    vmax: float = 1.0,
    gamma: float = 1.0,
) -> None:
    """Draw each grid (len(rows), len(columns)) under its title, all on the same colour scale.

    The grids are side by side if the page is wide enough. `rows`, `columns`: labels, empty for
    none. `cmap`: matplotlib's name of the colours. `vmin`, `vmax`: the ends of the colour scale.
    `gamma`: below 1, it spreads small values. `alt` describes the picture for screen readers, and
    the extreme values are added to it. Raises `Differs` if a grid is not a tensor of this shape.
    """
    for title, grid in grids.items():
        _can_be_drawn(title, grid, len(rows), len(columns))
    width, height, aspect = _size_of_one(grids, len(rows), len(columns))
    across = min(len(grids), max(1, int((WIDEST - 1) / width)))
    lines = math.ceil(len(grids) / across)
    size = 1 + across * width, lines * height
    figure, axes = plt.subplots(lines, across, figsize=size, squeeze=False, layout="constrained")
    for ax in axes.flat[len(grids) :]:
        ax.set_visible(False)
    for ax, (title, grid) in zip(axes.flat, grids.items(), strict=False):
        colours = PowerNorm(gamma, vmin, vmax)
        image = ax.imshow(grid.numpy(force=True), cmap=cmap, norm=colours, aspect=aspect)
        ax.set_title(title, fontsize=10)
        ax.set_xticks(range(len(columns)), columns, rotation=90)
        ax.set_yticks(range(len(rows)), rows)
    figure.colorbar(image, ax=axes, shrink=0.8)
    descriptions = [_in_words(title, grid, rows, columns) for title, grid in grids.items()]
    show(figure, f"{alt or 'Heat maps.'} {'; '.join(descriptions)}.")


def _size_of_one(grids: dict[str, Tensor], rows: int, columns: int) -> tuple[float, float, Any]:
    """Return width and height of a grid in inches, and its aspect for matplotlib.

    The size has room for all labels. The aspect is "equal" for square cells, else "auto".
    """
    tallest = max(len(grid) / len(grid.T) for grid in grids.values())
    width = max(min(3, (WIDEST - 1) / len(grids)), 0.7 + LABEL * columns)
    height = min(3.2, 1.2 + 0.9 * width * tallest)  # flat grids: no space around them
    min_height = 0.9 + LABEL * rows
    return width, max(height, min_height), "auto" if height < min_height else "equal"


def _in_words(title: str, grid: Tensor, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Describe a grid: its smallest and largest value, the place of the largest, and its zeros."""
    values = grid.detach().double()
    if odd := int((~values.isfinite()).sum()):
        return (
            f"{' '.join(title.split())}: {odd} of {values.numel()} are no numbers, or without end"
        )
    row, column = divmod(int(values.argmax()), values.size(1))
    location = f"row {rows[row] if rows else row}, column {columns[column] if columns else column}"
    zeros = int((values == 0).sum())
    share = f", {zeros} of {values.numel()} are 0" if zeros else ""
    return f"{' '.join(title.split())}: {values.min():.2g} to {values.max():.2g}, most in {location}{share}"


def _can_be_drawn(title: str, grid: Tensor, rows: int, columns: int) -> None:
    """Raise `Differs` unless the grid is a matrix with a row and a column for each label.

    `rows`, `columns`: the numbers of labels, 0 for none.
    """
    if not isinstance(grid, Tensor):
        raise Differs(f"{title}: this is no tensor but {kind_of(grid)}")
    if grid.dim() != 2 or (rows or len(grid), columns or len(grid.T)) != grid.shape:
        shape = f"{rows or 'any number'}, {columns or 'any number'}"
        raise Differs(f"{title}: its shape is {tuple(grid.shape)}, the picture needs ({shape}).")


def beside_target(yours: Tensor, target: Tensor, corner: tuple[int, int] = (0, 0)) -> None:
    """Draw the student's numbers, the target, and their difference as three tables.

    `corner`: the row and column of the whole tensors at which these tables begin, for the labels.
    """
    limit = float(torch.cat([yours, target]).nan_to_num(0, 0, 0).abs().max()) or 1.0
    ranges = (range(first, first + size) for first, size in zip(corner, target.shape, strict=True))
    rows, columns = ([str(i) for i in numbers] for numbers in ranges)
    tables = {"yours": yours, "target": target, "difference": yours - target}
    heatmaps(
        tables, rows, columns, "Your numbers, the target, the difference.", "PuOr", -limit, limit
    )


def word_vectors(words: list[str], d_model: int) -> Tensor:
    """Return a random vector of the numbers 1 and -1 for each word, (len(words), d_model).

    A word gets the same vector in every sentence.
    """
    vectors = []
    for word in words:
        generator = torch.Generator().manual_seed(zlib.crc32(word.encode()))
        vectors.append(torch.randn(d_model, generator=generator).sign())
    return torch.stack(vectors)
