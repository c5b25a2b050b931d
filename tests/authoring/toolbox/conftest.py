"""The toolbox as it is released, in one file, beside a notebook whose cells are run here."""

import linecache
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import matplotlib
import matplotlib.pyplot as plt
import pytest

from autograder.authoring.toolbox_file import FILE, NAME, import_text, toolbox_source


class Notebook(SimpleNamespace):
    """The names of a notebook, as attributes."""

    def cell(self, id: str, source: str) -> None:
        """Run a cell, whose lines tracebacks know by its id."""
        file = f"<cell {id}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), vars(self))


class Shown(list):
    """What cells displayed."""

    def said(self) -> str:
        """The words of all of it, in plain text."""
        return "\n".join(data["text/plain"] for data in self if isinstance(data, dict))

    def pages(self) -> str:
        """All of it, as HTML."""
        return "\n".join(
            data["text/html"] if isinstance(data, dict) else data.data for data in self
        )


@pytest.fixture
def toolbox(monkeypatch) -> Iterator[ModuleType]:
    """A toolbox of its own, which `import toolbox` finds."""
    matplotlib.use("agg")
    monkeypatch.setitem(sys.modules, NAME, ModuleType(NAME))  # put back afterwards
    with plt.rc_context():
        yield import_text(NAME, toolbox_source(), FILE)


@pytest.fixture
def shown(toolbox) -> Shown:
    outputs = Shown()
    toolbox.display = lambda data, **_: outputs.append(data)
    return outputs


@pytest.fixture
def notebook(toolbox, shown) -> Iterator[Notebook]:
    space = Notebook()
    with toolbox.notebook_is(vars(space)):
        yield space
