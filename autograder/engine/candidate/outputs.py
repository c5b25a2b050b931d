"""Collect the outputs of a notebook cell.

They are plain dicts in the order in which they appeared:

    {"kind": "stream", "name": "stdout" | "stderr", "text": bytes}
    {"kind": "display", "data": {mime: bytes}}
    {"kind": "error", "type": str, "text": bytes, "traceback": bytes}

Texts are UTF-8, as bytes like pictures: the head of a frame is too small for them.
"""

import base64
import io

MAX_TEXT = 20_000  # characters a cell
MAX_PICTURE = 1 << 20  # bytes
MAX_DISPLAYS = 20  # a cell
CUT = "\n[cut here: the cell printed too much]\n"
NOTHING_MORE = -1  # room of a cell whose text was cut
TEXTS = frozenset({"text", "traceback"})


class Collector:
    """Collects the outputs of a cell. Outputs beyond the limits are dropped."""

    def __init__(self) -> None:
        self.outputs: list[dict] = []
        self.room = MAX_TEXT

    def stream(self, name: str, text: str) -> None:
        """Add text that was printed to `name`, "stdout" or "stderr". Cut text beyond MAX_TEXT."""
        room = self.room
        self.room = room - len(text) if len(text) <= room else NOTHING_MORE
        if len(text) > room:
            text = text[:room] + CUT if room != NOTHING_MORE else ""
        last = self.outputs[-1] if self.outputs else {}
        if last.get("kind") == "stream" and last["name"] == name:
            last["text"] += text
        elif text:
            self.outputs.append({"kind": "stream", "name": name, "text": text})

    def append(self, display: dict) -> None:
        """Add a displayed object, unless there are MAX_DISPLAYS already. `display["data"]`: its
        content by MIME type.
        """
        data = dict(_showable(display["data"]))
        if data and sum(output["kind"] == "display" for output in self.outputs) < MAX_DISPLAYS:
            self.outputs.append({"kind": "display", "data": data})

    def error(self, kind: type, value: BaseException, traceback: list[str]) -> None:
        """Add the exception `value` of the class `kind`, and the end of its traceback."""
        lines = "\n".join(str(line)[:MAX_TEXT] for line in traceback[-20:])
        try:
            text = str(value)
        except Exception:  # a student's own __str__ may raise
            text = ""
        error = {"type": kind.__name__[:80], "text": text[:MAX_TEXT], "traceback": lines}
        self.outputs.append({"kind": "error"} | error)

    def as_sent(self) -> list[dict]:
        """Return the outputs with texts as bytes, to be sent."""
        return [
            {name: _bytes(value) if name in TEXTS else value for name, value in output.items()}
            for output in self.outputs
        ]


def _showable(bundle: dict):
    """Yield (MIME type, bytes) for the text and the pictures of a displayed object.

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
    """A text stream that adds text to a collector, as the stream `name` ("stdout" or "stderr")."""

    def __init__(self, collector: Collector, name: str):
        self.collector, self.stream_name = collector, name

    def write(self, text: str) -> int:
        self.collector.stream(self.stream_name, str(text))
        return len(text)
