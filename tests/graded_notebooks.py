"""Graded notebooks, as `autograded/` has them: honest, hostile, and far too large."""

import base64
import io
from pathlib import Path

import nbformat
from feedback_pages import verdict
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from PIL import Image

from autograder import Assignment, CheckResult, ExerciseResult, NamedMistake
from autograder.classroom.blocks.cell import as_outputs
from autograder.classroom.blocks.verdict_blocks import verdict_blocks
from autograder.gradebook.sync.notebooks import VERDICT

HOSTILE = Path(__file__).parent / "gradebook" / "pages" / "hostile" / "markup.txt"
ANSWER = """**Bold**, *slanted*, ~~gone~~, `code` and [the paper](https://arxiv.org/abs/1706.03762).

1. first
2. second
   - inner

- [x] done

| symbol | means |
|---|:-:|
| $d_k$ | width |

```python
def forward(self, x):
    return x
```

Inline $e^{i\\pi} = -1$, and

$$\\mathrm{FFN}(x) = \\max(0, xW_1 + b_1)W_2 + b_2$$

\\begin{align}
\\mu &= \\frac{1}{d}\\sum_{i=1}^d x_i \\\\
\\sigma^2 &= \\frac{1}{d}\\sum_{i=1}^d (x_i - \\mu)^2
\\end{align}

![my drawing](attachment:my%20drawing.png) ![the figure](figures/drawn.svg)

<details><summary>More</summary>H<sub>2</sub>O &amp; <kbd>Ctrl</kbd></details>

> quoted
"""
TRACEBACK = ["\x1b[31mZeroDivisionError\x1b[39m: division by zero", "\x1b[38;5;28mprint\x1b[39m(1)"]
FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><circle cx="30" cy="30" r="25" fill="#44638a"/></svg>'


def drawn(width: int = 120, height: int = 60, kind: str = "PNG") -> str:
    """A picture in base64, as notebooks have them."""
    file = io.BytesIO()
    Image.new("RGB", (width, height), "#1d7a3a").save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


def pieces() -> dict[str, str]:
    """What students should not have written, by name."""
    found = HOSTILE.read_text(encoding="utf-8").split("%% ")[1:]
    return dict(piece.rstrip("\n").split("\n", 1) for piece in found)


def honest_notebook(assignment: Assignment) -> NotebookNode:
    """A graded notebook with everything that an honest one may have."""
    notebook = nbformat.read(assignment.release, as_version=4)
    cells = {cell.id: cell for cell in notebook.cells}
    cells["explain"].source = ANSWER
    cells["explain"]["attachments"] = {"my drawing.png": {"image/png": drawn()}}
    cells["rms_norm"].outputs = [
        new_output("stream", name="stdout", text="epoch 1\repoch 2\nwhat I printed: 3 < 4\n"),
        new_output("display_data", {"image/png": drawn(), "text/plain": "<Figure>"}),
        new_output("display_data", {"image/jpeg": drawn(kind="JPEG")}),
        new_output("error", ename="ZeroDivisionError", evalue="", traceback=TRACEBACK),
    ]
    made = verdict(checks(), repairs=[])
    blocks = verdict_blocks(made, "student")["rms_norm"]
    cells["check_rms_norm"].outputs = [nbformat.from_dict(one) for one in as_outputs(blocks)]
    notebook.cells.append(new_markdown_cell("A note of mine."))
    notebook.metadata[VERDICT] = nbformat.from_dict(made.to_json())
    return notebook


def checks() -> ExerciseResult:
    """What the examiner found out about one exercise."""
    return ExerciseResult(
        id="rms_norm",
        state="answered",
        points=2.5,
        max_points=4,
        checks=[
            CheckResult("test_the_root_is_taken", 2.5, 2.5, True, None),
            CheckResult("test_epsilon_is_inside", 0, 1.5, False, "Where does `eps` belong?"),
        ],
        mistakes=[NamedMistake("no_eps", "Is `eps` added before the root?")],
    )


def hostile_notebook(assignment: Assignment) -> NotebookNode:
    """A graded notebook with every piece in every place from which something reaches a page."""
    notebook = nbformat.read(assignment.release, as_version=4)
    cells = {cell.id: cell for cell in notebook.cells}
    everything = list(pieces().values())
    mimes = "text/html text/markdown text/latex image/svg+xml application/javascript text/plain"
    outputs = [
        *(new_output("display_data", {mime: one}) for mime in mimes.split() for one in everything),
        *(new_output("stream", text=one) for one in everything),
        new_output("error", ename="<b>", evalue="<b>", traceback=everything),
        new_output("display_data", {"image/png": '"><img src=x onerror=canary()>'}),
        new_output("display_data", {"text/html": "<script>canary()</script>"}),
        new_output("display_data", {"application/vnd.jupyter.widget-view+json": {"model_id": "w"}}),
    ]
    outputs[-2].metadata["text/html"] = {"isolated": True}
    cells["softmax"].outputs = outputs
    cells["softmax"].source = "\n".join(everything)
    cells["check_softmax"].outputs = [
        new_output("display_data", {"text/html": one}) for one in everything
    ]
    cells["explain"].source = "\n\n".join(everything[:20])
    for place, one in enumerate(everything):
        notebook.cells.append(new_markdown_cell(one, id=f"m{place}"))
        notebook.cells.append(new_raw_cell(one, metadata={"raw_mimetype": "text/html"}))
    odd = new_code_cell("x", id="odd", metadata={"tags": ['"><script>canary()</script>']})
    odd["execution_count"] = None
    notebook.cells.append(odd)
    notebook.metadata["title"] = "</title><script>canary()</script>"
    notebook.metadata["widgets"] = {
        "application/vnd.jupyter.widget-state+json": {"state": "</script><script>canary()</script>"}
    }
    return notebook


def received_notebook() -> NotebookNode:
    """A notebook as it was handed in, for JupyterLab: with outputs, attachments and a widget."""
    view = {"model_id": "w", "version_major": 2, "version_minor": 0}
    widget = {
        "model_name": "HTMLModel",
        "model_module": "@jupyter-widgets/controls",
        "model_module_version": "2.0.0",
        "state": {"value": "<img src=x onerror=canary()>"},
    }
    state = {"version_major": 2, "version_minor": 0, "state": {"w": widget}}
    everything = list(pieces().values())
    mimes = (
        "text/html text/markdown text/latex image/svg+xml application/javascript text/vnd.mermaid"
    )
    outputs = [
        new_output("display_data", {mime: one}) for mime in mimes.split() for one in everything[:40]
    ]
    outputs.append(new_output("display_data", {"application/vnd.jupyter.widget-view+json": view}))
    outputs.append(new_output("error", ename="<b>", evalue="<b>", traceback=everything))
    svg = base64.b64encode(FIGURE.replace("<circle", "<circle onload='canary()'").encode()).decode()
    notebook = new_notebook(cells=[new_markdown_cell(one) for one in everything])
    notebook.cells += [
        new_code_cell("x", outputs=outputs, metadata={"trusted": True}),
        new_raw_cell("\n".join(everything)),
        new_markdown_cell("![x](attachment:x)", attachments={"x": {"image/svg+xml": svg}}),
    ]
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": state}
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return notebook


def large_notebook(assignment: Assignment) -> NotebookNode:
    """A graded notebook of texts that take a renderer or a browser very long."""
    notebook = nbformat.read(assignment.release, as_version=4)
    texts = [
        "[" * 90_000,
        "*" * 90_000,
        "**a " * 20_000,
        "> " * 40_000,
        "\n".join("  " * depth + "- x" for depth in range(400)),
        "|a" * 300 + "\n" + "|-" * 300 + "\n" + ("|x" * 300 + "\n") * 150,
        "$x_1$ " * 10_000,
        "".join(f"<b title={i}>" for i in range(4_000)) + "<p>x" * 9_000,
        "<div>" * 15_000,
        "x" * 200_000,
        "$" + "{" * 1_900 + "$",
        "$" + "\\frac" * 390 + "$",
        "`" * 50_000 + "a",
        "![x](attachment:large.png)",
    ]
    notebook.cells += [new_markdown_cell(text, id=f"large{at}") for at, text in enumerate(texts)]
    notebook.cells[-1]["attachments"] = {"large.png": {"image/png": drawn(9_000, 9_000)}}
    notebook.cells += [
        new_code_cell("x = '''" + "\\" * 90_000, id="code"),
        new_code_cell("x", outputs=[new_output("stream", text="\x1b[31ma" * 90_000)], id="ansi"),
    ]
    return notebook
