"""The student's own lines, and tables."""

import pytest

FORWARD = '''
class Layer:
    def forward(self, x):
        """x (batch, seq) -> (batch, seq)"""
        y = x + 1          # (batch, seq)
        return y
'''


@pytest.mark.parametrize("doc", [True, False])
def test_the_body_is_shown_with_its_comments_and_without_docstring(notebook, doc, toolbox, shown):
    text = FORWARD if doc else FORWARD.replace('        """x (batch, seq) -> (batch, seq)"""\n', "")
    notebook.cell("layer", text)
    assert (
        toolbox.own_lines(notebook.Layer.forward) == "y = x + 1          # (batch, seq)\nreturn y"
    )


@pytest.mark.parametrize("body", ["raise NotImplementedError()", '"""Only text."""'])
def test_what_is_open_has_no_lines(notebook, body, toolbox, shown):
    notebook.cell("layer", f"class Layer:\n    def forward(self):\n        {body}")
    toolbox.display = shown.append
    toolbox.beside_equation("Layer", "x + 1", notebook.Layer.forward)
    toolbox.beside_equation("Layer", "x + 1", None)
    assert [shown.data for shown in shown] == ["**Layer**\n\n*still open*"] * 2


def test_the_lines_stand_below_the_equation(notebook, toolbox, shown):
    notebook.cell("layer", FORWARD)
    toolbox.display = shown.append
    toolbox.beside_equation("Layer", "x + 1", notebook.Layer.forward)
    assert "$$x + 1$$\n\n````python\ny = x + 1" in shown[0].data


def test_cells_of_a_table_are_data(notebook, toolbox, shown):
    toolbox.display = shown.append
    toolbox.table(["name", "said"], [["<b>", 0.5]])
    page = shown[0].data
    assert "&lt;b&gt;</td>" in page and "0.5</td>" in page and page.count("<tr>") == 2
