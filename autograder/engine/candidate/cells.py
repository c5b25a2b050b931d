"""Run notebook cells in an IPython shell and collect their outputs.

Outputs are plain dicts in the order in which they appeared:

    {"kind": "stream", "name": "stdout" | "stderr", "text": bytes}
    {"kind": "display", "data": {mime: bytes}}
    {"kind": "error", "type": str, "text": bytes, "traceback": bytes}

Texts are UTF-8, as bytes like pictures: the head of a frame is too small for them.
"""

import ast
import base64
import contextlib
import io
from types import TracebackType

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any, Type, Unicode
from traitlets.config import Config

MAX_TEXT = 20_000  # characters a cell
MAX_PICTURE = 1 << 20  # bytes
MAX_DISPLAYS = 20  # a cell
END_FRAMES = 15  # of a traceback, at either end
CUT = "\n[cut here: the cell printed too much]\n"
NOTHING_MORE = -1  # room of a cell whose text was cut
TEXTS = frozenset({"text", "traceback"})
CELL_NAME = "<cell {}>"  # co_filename of code that a cell defined; {} is the cell's id


class Collector:
    """Collects the outputs of one cell. Outputs beyond the limits are dropped, so they use time but
    no memory.
    """

    def __init__(self) -> None:
        self.outputs: list[dict] = []
        self.room = MAX_TEXT

    def stream(self, name: str, text: str) -> None:
        """Add text that was printed to the stream `name`, "stdout" or "stderr"; all text beyond
        MAX_TEXT is cut.
        """
        room = self.room
        self.room = room - len(text) if len(text) <= room else NOTHING_MORE
        if len(text) > room:
            text = text[:room] + CUT if room != NOTHING_MORE else ""
        last = self.outputs[-1] if self.outputs else {}
        if last.get("kind") == "stream" and last["name"] == name:
            last["text"] += text
        elif text:
            self.outputs.append({"kind": "stream", "name": name, "text": text})

    def append(self, shown: dict) -> None:
        """Add a displayed object; `shown["data"]` is its content by MIME type. IPython calls this."""
        data = dict(_showable(shown["data"]))
        if data and sum(output["kind"] == "display" for output in self.outputs) < MAX_DISPLAYS:
            self.outputs.append({"kind": "display", "data": data})

    def error(self, kind: type, value: BaseException, traceback: list[str]) -> None:
        """Add the exception that ended the cell: its class `kind`, the exception `value`, and the
        end of its traceback.
        """
        lines = "\n".join(str(line)[:MAX_TEXT] for line in traceback[-20:])
        try:
            text = str(value)
        except Exception:  # a student's own __str__ may raise
            text = ""
        error = {"type": kind.__name__[:80], "text": text[:MAX_TEXT], "traceback": lines}
        self.outputs.append({"kind": "error"} | error)

    def as_sent(self) -> list[dict]:
        """Return the outputs as they are sent: with texts as bytes."""
        return [
            {name: _bytes(value) if name in TEXTS else value for name, value in output.items()}
            for output in self.outputs
        ]


def _showable(bundle: dict):
    """Yield (MIME type, bytes) for the text and the pictures in `bundle`, the content of a
    displayed object by MIME type.

    HTML, scripts and all other types are left out, and pictures over MAX_PICTURE bytes.
    """
    text = bundle.get("text/plain")
    if isinstance(text, str):
        yield "text/plain", _bytes(text[:MAX_TEXT])
    for mime in ("image/png", "image/jpeg"):
        picture = bundle.get(mime)
        if isinstance(picture, str):
            picture = base64.b64decode(picture)
        if isinstance(picture, bytes) and len(picture) <= MAX_PICTURE:
            yield mime, picture


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


class Stream(io.TextIOBase):
    """A text stream that adds what is written to a collector, as the stream `name` ("stdout" or
    "stderr").
    """

    def __init__(self, collector: Collector, name: str):
        self.collector, self.stream_name = collector, name

    def write(self, text: str) -> int:
        self.collector.stream(self.stream_name, str(text))
        return len(text)


class Publisher(DisplayPublisher):
    """Adds the objects that a cell displays to its outputs."""

    def publish(self, data, metadata=None, source=None, **_):
        self.shell.collector.append({"data": data})


class Hook(DisplayHook):
    """Adds the value of a cell's last line to its outputs, without a prompt."""

    def quiet(self):
        return self.semicolon_at_end_of_expression(self.shell.source)

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        self.shell.collector.append({"data": format_dict})

    def finish_displayhook(self):
        pass


class Compiler(CachingCompiler):
    """Gives each code object the name of its cell, so that a traceback names cell and line."""

    name = ""

    def get_code_name(self, raw_code, transformed_code, number):
        return self.name


class Shell(InteractiveShell):
    """An IPython shell without a terminal, a history file or a GUI event loop."""

    compiler_class = Type(Compiler)
    display_pub_class = Type(Publisher)
    displayhook_class = Type(Hook)
    collector = Any()
    source = Unicode()  # of the cell that is run

    def enable_gui(self, gui=None):
        """Do nothing: `%matplotlib inline` calls this, and there is no GUI event loop."""

    def transform_cell(self, raw_cell):
        """Return plain Python unchanged, because looking for magics takes longer than running it;
        else what IPython returns.
        """
        try:
            ast.parse(raw_cell)
        except Exception:  # a magic, or a mistake that IPython words better
            return super().transform_cell(raw_cell)
        return raw_cell

    def _get_exc_info(self, exc_tuple=None):
        kind, value, traceback = super()._get_exc_info(exc_tuple)
        _cut_the_middle_out(traceback)  # IPython takes 2 ms a frame, and recursion has a thousand
        return kind, value, traceback

    def _showtraceback(self, etype, evalue, stb):
        self.collector.error(etype, evalue, stb)


def _cut_the_middle_out(traceback: TracebackType | None) -> None:
    """Shorten a long traceback, in place, to its first and last END_FRAMES frames."""
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    if len(frames) > 2 * END_FRAMES:
        frames[END_FRAMES - 1].tb_next = frames[-END_FRAMES]


def make_shell() -> Shell:
    """Return the IPython shell of this process, without history and colours."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Context"
    return Shell.instance(config=config)  # type: ignore[return-value]


def run_cell(shell: Shell, cell: str, source: str) -> tuple[list[dict], BaseException | None]:
    """Run the cell with the id `cell`; return its outputs, and the exception that ended it or None."""
    collector = Collector()
    shell.collector = collector
    shell.source, shell.compile.name = source, CELL_NAME.format(cell)
    with (
        contextlib.redirect_stdout(Stream(collector, "stdout")),
        contextlib.redirect_stderr(Stream(collector, "stderr")),
    ):
        result = shell.run_cell(source, store_history=False)
    return collector.as_sent(), result.error_before_exec or result.error_in_exec
