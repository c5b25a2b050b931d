"""Show a student's own lines beside an equation of the paper, and measurements as a table."""

import ast
import html
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from IPython.display import HTML, Markdown, display


def own_lines(function: Callable[..., Any]) -> str:
    """Return the lines of a function's body as the student's cell has them, without the docstring;
    "" if they are not found, or if the function is still the stub.
    """
    try:
        source = textwrap.dedent(inspect.getsource(function))
        body = ast.parse(source).body[0].body  # type: ignore[attr-defined]
    except (OSError, TypeError, SyntaxError, AttributeError):
        return ""
    is_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    body = body[1:] if is_text else body
    if not body or (len(body) == 1 and isinstance(body[0], ast.Raise)):
        return ""
    lines = source.splitlines()[body[0].lineno - 1 : body[-1].end_lineno]
    return textwrap.dedent("\n".join(lines))


def beside_equation(title: str, equation: str, function: Callable[..., Any] | None) -> None:
    """Show the body of the student's function below an equation in LaTeX, under this title.

    As long as the function is None or a stub, the equation is hidden, as it may be the answer to a
    question.
    """
    lines = own_lines(function) if function else ""
    shown = f"$${equation}$$\n\n````python\n{lines}\n````" if lines else "*still open*"
    display(Markdown(f"**{title}**\n\n{shown}"))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Show a table below the cell, with this header row; the first cell of each row says what the
    row is about. Cells are shown as text, never as HTML.
    """
    style = "text-align: left; padding: 0.2em 0.8em"
    lines = [
        "".join(f'<{tag} style="{style}">{html.escape(str(cell))}</{tag}>' for cell in cells)
        for tag, cells in [("th", header), *(("td", row) for row in rows)]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    display(HTML(f'<table style="color: inherit">{body}</table>'))
