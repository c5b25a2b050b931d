"""Show a student's own lines beside an equation of the paper, and measurements as a table."""

import ast
import html
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from IPython.display import HTML, Markdown, display


def own_lines(function: Callable[..., Any]) -> str:
    """Return the body of a student's function as text, without the docstring.

    Return "" if the source is not found, or if the function is still the stub.
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
    """Show the body of the student's function below an equation in LaTeX.

    The equation may be the answer to a question, so it is hidden as long as the function is None or
    a stub.
    """
    lines = own_lines(function) if function else ""
    text = f"$${equation}$$\n\n````python\n{lines}\n````" if lines else "*still open*"
    display(Markdown(f"**{title}**\n\n{text}"))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Show a table below the cell. The first cell of each row names the row.

    Cells are shown as text, never as HTML.
    """
    style = "text-align: left; padding: 0.2em 0.8em"
    lines = [
        "".join(f'<{tag} style="{style}">{html.escape(str(cell))}</{tag}>' for cell in cells)
        for tag, cells in [("th", header), *(("td", row) for row in rows)]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    display(HTML(f'<table style="color: inherit">{body}</table>'))
