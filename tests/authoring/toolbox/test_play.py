"""Pictures to play with: drawn at once, drawn again on a change, and still where nothing can move."""

import sys
from types import SimpleNamespace

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


def as_in_ipywidgets_7(widget):
    """Take from a widget the way in which ipywidgets 8 shows it, and give it that of ipywidgets 7."""

    class OldWidget(type(widget)):
        @property
        def _repr_mimebundle_(self):
            raise AttributeError("'SelectionSlider' object has no attribute '_repr_mimebundle_'")

        def _ipython_display_(self):
            data = {"text/plain": repr(self), VIEW: {"model_id": self.model_id}}
            display(data, raw=True)

    widget.__class__ = OldWidget
    return widget


def fails_to_show(widget):
    class FailingWidget(type(widget)):
        def _repr_mimebundle_(self, **_):
            raise RuntimeError("no comm")

    widget.__class__ = FailingWidget
    return widget


def cannot_be_built(widget):
    raise AttributeError("module 'ipykernel.comm' has no attribute 'Comm'")


@pytest.fixture
def changed_widgets(monkeypatch):
    """Make all widgets of ipywidgets such as a function returns them."""

    def change(function) -> None:
        kinds = "SelectionSlider", "ToggleButton", "HBox", "Text"
        names = {
            name: lambda *words, kind=getattr(ipywidgets, name), **named: function(
                kind(*words, **named)
            )
            for name in kinds
        }
        monkeypatch.setitem(sys.modules, "ipywidgets", SimpleNamespace(**names))

    return change


@pytest.mark.parametrize("control", [SLIDER, TOGGLES, TEXT])
def test_ipywidgets_7_shows_its_control_in_its_own_way(played, changed_widgets, control):
    changed_widgets(as_in_ipywidgets_7)
    (shown, picture), _ = played(DRAW.format(control))
    assert shown[VIEW]["model_id"] and shown["text/plain"] == "(To play, run this cell.)"
    assert picture["text/plain"]


@pytest.mark.parametrize("function", [fails_to_show, cannot_be_built])
def test_where_a_control_cannot_be_shown_the_stills_are_drawn(
    played, changed_widgets, function, capfd
):
    changed_widgets(function)
    shown, _ = played(DRAW.format(SLIDER))
    assert [data["text/plain"] for data in shown] == ["1", "2", "3"]
    assert capfd.readouterr() == ("", "")
