"""Draw pictures that a reader can change with a widget, or else a few fixed pictures."""

import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import torch
from IPython.display import DisplayHandle, display
from IPython.utils.capture import capture_output

from autograder.authoring.toolbox.steps import try_it

VIEW = "application/vnd.jupyter.widget-view+json"  # where a page shows a widget


class Control(NamedTuple):
    """A control that a reader changes."""

    start: Any  # its first value
    stills: tuple[Any, ...]  # values for fixed pictures
    build: Callable[[ModuleType, Callable[[Any], None]], Any]  # ipywidgets, on change -> widget


def slider(label: str, values: Sequence[Any], start: Any, stills: Sequence[Any]) -> Control:
    """Return a control that chooses from these ordered values.

    `label`: the text beside it. `start`: the first value. `stills`: the values to draw if no widget
    can be shown.
    """

    def build(widgets: ModuleType, on_change: Callable[[Any], None]) -> Any:
        wide = {"layout": {"width": "90%"}, "style": {"description_width": "initial"}}
        widget = widgets.SelectionSlider(
            options=list(values), value=start, description=label, **wide
        )
        widget.observe(lambda change: on_change(change.new), "value")
        return widget

    return Control(start, tuple(stills), build)


def toggles(words: Sequence[str], start: Sequence[bool]) -> Control:
    """Return a control with a button for each word.

    Its value is a tuple with the state of each button. `start`: the first value.
    """

    def build(widgets: ModuleType, on_change: Callable[[Any], None]) -> Any:
        buttons = [
            widgets.ToggleButton(value=on, description=word, layout={"width": "auto"})
            for word, on in zip(words, start, strict=True)
        ]
        for button in buttons:
            button.observe(lambda _: on_change(tuple(b.value for b in buttons)), "value")
        return widgets.HBox(buttons, layout={"flex_flow": "row wrap"})

    return Control(tuple(start), (tuple(start),), build)


def text_box(label: str, start: str) -> Control:
    """Return a control for a line of text, which counts when Enter is pressed."""

    def build(widgets: ModuleType, on_change: Callable[[Any], None]) -> Any:
        widget = widgets.Text(
            start, description=label, continuous_update=False, layout={"width": "90%"}
        )
        widget.observe(lambda change: on_change(change.new), "value")
        return widget

    return Control(start, (start,), build)


def play(control: Control) -> Callable[[Callable[[Any], None]], None]:
    """Return a decorator that draws a function's picture, and again whenever the control changes.

    The function is called with the control's value. Random numbers are the same for each picture.
    If the function raises because an exercise is not solved yet, a line explains this instead. If
    no control can be shown, the pictures for the control's fixed values are drawn.
    """

    def run(draw: Callable[[Any], None]) -> None:
        if widgets := _ipywidgets():
            with capture_output() as first:
                drawn = _drawn(draw, control.start)
            if not drawn:
                first.show()
                return
            picture = DisplayHandle()
            view = _view_of(control, widgets, lambda value: _redraw(picture, draw, value))
            if view:
                display(view | {"text/plain": "(To play, run this cell.)"}, raw=True)
                _put(picture.display, first.outputs)
                return
        all(_drawn(draw, value) for value in control.stills)

    return run


def _view_of(
    control: Control, widgets: ModuleType, on_change: Callable[[Any], None]
) -> dict[str, Any]:
    """Build the control's widget and return the data that shows it, by MIME type.

    Return {} if this version of ipywidgets cannot be used here.
    """
    try:
        with capture_output() as captured:
            widget = control.build(widgets, on_change)
            # `display(widget)` would end in a traceback if these methods raise.
            if hasattr(widget, "_ipython_display_"):  # ipywidgets 7
                widget._ipython_display_()
            else:
                display(widget._repr_mimebundle_(), raw=True)
    except Exception:  # for example, a version that does not fit the kernel
        return {}
    return next((output.data for output in captured.outputs if VIEW in output.data), {})


def _redraw(picture: DisplayHandle, draw: Callable[[Any], None], value: Any) -> None:
    with capture_output() as captured:
        _drawn(draw, value)
    _put(picture.update, captured.outputs)


def _put(show_output: Callable[..., None], outputs: list[Any]) -> None:
    """Show the last output with `show_output`, a method that displays or updates a picture."""
    for output in outputs[-1:]:
        show_output(output.data, raw=True, metadata=output.metadata or {})


def _drawn(draw: Callable[[Any], None], value: Any) -> bool:
    """Call `draw` with fixed random numbers, and return whether a picture was drawn."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return try_it(draw, value)


def _ipywidgets() -> ModuleType | None:
    """Return the module ipywidgets, or None if it cannot be imported."""
    try:
        return importlib.import_module("ipywidgets")
    except Exception:  # an old version fails in its own ways with a new kernel
        return None
