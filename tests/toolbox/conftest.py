"""A notebook that holds the toolbox and nothing else, and what it shows."""

import linecache
from collections.abc import Iterator
from types import SimpleNamespace

import matplotlib
import matplotlib.pyplot as plt
import pytest

from autograder.authoring.toolbox_cell import toolbox_source


class Notebook(SimpleNamespace):
    """The names of a notebook, as attributes; `shown` is what its cells displayed."""

    def __init__(self) -> None:
        super().__init__(shown=[])
        vars(self)["__name__"] = "__main__"
        self.cell("toolbox", toolbox_source())
        self.display = lambda data, **_: self.shown.append(data)

    def cell(self, id: str, source: str) -> None:
        """Run a cell, whose lines tracebacks know by its id."""
        file = f"<cell {id}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), vars(self))

    def said(self) -> str:
        """The words of all that was shown, in plain text."""
        return "\n".join(data["text/plain"] for data in self.shown if isinstance(data, dict))

    def pages(self) -> str:
        """All that was shown, as HTML."""
        return "\n".join(
            data["text/html"] if isinstance(data, dict) else data.data for data in self.shown
        )


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    matplotlib.use("agg")
    with plt.rc_context():
        yield Notebook()
    plt.close("all")
