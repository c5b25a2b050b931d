"""Pictures to play with: drawn at once, drawn again on a change, and still where nothing can move."""

import sys

import ipywidgets
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output
from traitlets.config import Config

VIEW = "application/vnd.jupyter.widget-view+json"
DRAW = "@toolbox.play({})\ndef drawn(value):\n    values.append(value)\n    toolbox.panel('done', str(value))"
OPEN = (
    "@toolbox.play({})\ndef drawn(value):\n    values.append(value)\n    raise NotImplementedError"
)
SLIDER = "toolbox.slider('scale', [1, 2, 3], start=2, stills=[1, 2, 3])"
TOGGLES = "toolbox.toggles(['the', 'cat'], start=[True, False])"
TEXT = "toolbox.text_box('sentence', 'the cat')"


@pytest.fixture
def played(notebook, toolbox, tmp_path, monkeypatch):
    """Run a cell in a shell; return what it showed, and the widgets that it made."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    notebook.values, widgets = [], []
    ipywidgets.Widget.on_widget_constructed(widgets.append)

    def run(cell: str):
        toolbox.display = display  # the shell's own
        with capture_output() as captured:
            notebook.cell("play", f"import toolbox\n{cell}")
        return [output.data for output in captured.outputs], widgets

    yield run
    ipywidgets.Widget.on_widget_constructed(None)
    InteractiveShell.clear_instance()


def moved(widget, value) -> list[str]:
    """What is drawn when a widget gets another value."""
    with capture_output() as captured:
        widget.value = value
    assert all(output.update for output in captured.outputs), "a picture was added, not replaced"
    return [output.data["text/plain"] for output in captured.outputs]


@pytest.mark.parametrize(
    ("control", "first", "kind", "value", "then"),
    [
        (SLIDER, 2, ipywidgets.SelectionSlider, 3, 3),
        (TOGGLES, (True, False), ipywidgets.ToggleButton, False, (False, False)),
        (TEXT, "the cat", ipywidgets.Text, "a dog", "a dog"),
    ],
)
def test_a_change_draws_the_picture_again_in_its_place(
    played, notebook, control, first, kind, value, then
):
    (shown, picture), widgets = played(DRAW.format(control))
    assert VIEW in shown and "Slider(" not in shown["text/plain"]
    assert picture["text/plain"] == str(first)
    widget = next(widget for widget in widgets if isinstance(widget, kind))
    assert moved(widget, value) == [str(then)] and notebook.values == [first, then]


def test_an_open_exercise_is_one_line_and_nothing_to_play_with(played):
    shown, _ = played(OPEN.format(SLIDER))
    said = [data["text/plain"] for data in shown]
    assert said == ["An exercise is still open: no picture yet."]


def test_without_ipywidgets_the_stills_are_drawn(played, notebook, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    shown, _ = played(DRAW.format(SLIDER))
    assert [data["text/plain"] for data in shown] == ["1", "2", "3"]
    notebook.values.clear()
    assert len(played(OPEN.format(SLIDER))[0]) == len(notebook.values) == 1


def test_every_picture_has_the_same_chance(played, notebook):
    _, widgets = played(
        "@toolbox.play("
        + SLIDER
        + ")\ndef _(value):\n    values.append(float(toolbox.torch.rand(1)))"
    )
    for value in (1, 3):
        moved(widgets[-1], value)
    assert len(notebook.values) == 3 and len(set(notebook.values)) == 1


def test_an_error_while_playing_is_told_and_does_not_raise(played):
    _, widgets = played(
        "@toolbox.play(" + SLIDER + ")\ndef _(value):\n    assert value < 3, 'Too much.'"
    )
    slider = next(w for w in widgets if isinstance(w, ipywidgets.SelectionSlider))
    assert moved(slider, 3) == ["No picture yet.\nToo much."]
