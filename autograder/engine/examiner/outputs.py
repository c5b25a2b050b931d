"""Parse the outputs of cells, limit their size, and convert them to nbformat."""

import base64
from collections.abc import Mapping

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.notebooks.pictures import PAGE_PIXELS, NoPicture, measure
from autograder.engine.texts.printable import without_halves

MAX_SHOWN = 32 << 20  # bytes of a submission's outputs; what comes after them is left out
MAX_OUTPUTS = 1_000  # a cell
MAX_TEXT = 100_000  # bytes of a text; the candidate's own side cuts them shorter
MAX_LINES = 2_000  # of a traceback, each of which a notebook keeps by itself
MIMES = frozenset({"text/plain", "image/png", "image/jpeg"})


def read_outputs(received: object, room: int) -> list[dict]:
    """Parse `received`, the outputs of one cell; return those before the first that does not fit
    into `room` bytes.

    Raise `ChannelError` unless they have the form that `candidate/outputs.py` sends: streams,
    displays and errors, with texts as bytes.
    """
    if not isinstance(received, list) or len(received) > MAX_OUTPUTS:
        raise ChannelError("no list of outputs, or too long a one")
    outputs = [_output(item) for item in received]
    kept = []
    for output in outputs:
        room -= size(output)
        if room < 0:
            break
        kept.append(output)
    return kept


def size(output: dict) -> int:
    """Return how many bytes the texts and pictures of one output have."""
    values = [*output.values(), *output.get("data", {}).values()]
    return sum(len(value) for value in values if isinstance(value, bytes))


def _output(received: object) -> dict:
    match received:
        case {"kind": "stream", "name": "stdout" | "stderr" as name, "text": bytes(text)}:
            return {"kind": "stream", "name": name, "text": text[:MAX_TEXT]}
        case {"kind": "display", "data": dict(data)} if data.keys() <= MIMES:
            if all(isinstance(value, bytes) for value in data.values()):
                return {"kind": "display", "data": dict(data)}
        case {"kind": "error", "type": str(kind), "text": bytes(text), "traceback": bytes(lines)}:
            texts = {"text": text[:MAX_TEXT], "traceback": lines[:MAX_TEXT]}
            return {"kind": "error", "type": without_halves(kind[:80]), **texts}
    raise ChannelError("an output of another form")


def as_notebook_outputs(outputs: Mapping[str, list[dict]]) -> dict[str, list[dict]]:
    """Convert a submission's outputs to nbformat. Keys are cell ids, values the outputs of that
    cell.

    The result holds nothing that a browser would execute. A sentence replaces each picture that is
    too large or of another type than it claims.
    """
    form = _NotebookForm()
    return {cell: [form(output) for output in shown] for cell, shown in outputs.items()}


class _NotebookForm:
    """Converts outputs to nbformat, and limits the pixels of all pictures on one page together.

    Pictures are not decoded: that would take a twentieth of the time of a verdict for each. Their
    bytes are passed on with a type that was checked, and their size is read from the beginning of
    the file, as a browser does.
    """

    def __init__(self) -> None:
        self.pixels_left = PAGE_PIXELS

    def __call__(self, output: dict) -> dict:
        match output:
            case {"kind": "stream", "name": name, "text": text}:
                return {"output_type": "stream", "name": name, "text": _text(text)}
            case {"kind": "display", "data": data}:
                return {"output_type": "display_data", "data": self._bundle(data), "metadata": {}}
        return {
            "output_type": "error",
            "ename": output["type"],
            "evalue": _text(output["text"]),
            "traceback": _text(output["traceback"]).split("\n", MAX_LINES)[:MAX_LINES],
        }

    def _bundle(self, data: dict[str, bytes]) -> dict[str, str]:
        bundle, told = {}, [_text(data["text/plain"])] if "text/plain" in data else []
        for mime, content in data.items():
            if mime == "text/plain":
                continue
            try:
                self._count(content, mime)
                bundle[mime] = base64.b64encode(content).decode()
            except NoPicture as error:
                told.append(f"[a picture is not shown: {error}]")
        return bundle | ({"text/plain": "\n".join(told)} if told else {})

    def _count(self, content: bytes, mime: str) -> None:
        """Count the pixels of a picture, whose file is `content`. Raise `NoPicture` if its type is
        not `mime`, or if the page now has too many pixels.
        """
        found, pixels = measure(content)
        if found != mime:
            raise NoPicture(f"it is no {mime}")
        self.pixels_left -= pixels
        if self.pixels_left < 0:
            raise NoPicture("the pictures of this notebook are too many or too large")


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
