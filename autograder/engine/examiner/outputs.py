"""Parse the outputs of cells, limit their size, and convert them to nbformat."""

import base64
from collections.abc import Mapping

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.notebooks.pictures import PAGE_PIXELS, NoPicture, measure
from autograder.engine.texts.printable import without_halves

MAX_SHOWN = 32 << 20  # bytes of a submission's outputs; further outputs are left out
MAX_OUTPUTS = 1_000  # of a cell
MAX_TEXT = 100_000  # bytes of a text; the candidate's side cuts texts shorter
MAX_LINES = 2_000  # of a traceback: a notebook stores each line separately
MIMES = frozenset({"text/plain", "image/png", "image/jpeg"})


def read_outputs(received: object, room: int) -> list[dict]:
    """Parse the outputs of a cell and return the first of them that fit into `room` bytes.

    Raise `ChannelError` unless they have the form that `candidate/outputs.py` sends: streams,
    displays and errors, with texts as bytes.
    """
    if not isinstance(received, list) or len(received) > MAX_OUTPUTS:
        raise ChannelError("no list of outputs, or too long a one")
    outputs = [_output(item) for item in received]
    fitting = []
    for output in outputs:
        room -= size(output)
        if room < 0:
            break
        fitting.append(output)
    return fitting


def size(output: dict) -> int:
    """Return the number of bytes in the texts and pictures of an output."""
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
    """Convert a submission's outputs, by cell id, to nbformat.

    The result contains nothing that a browser would execute. A sentence replaces each picture that
    is too large or does not have its declared type.
    """
    form = _NotebookForm()
    return {
        cell: [form(output) for output in cell_outputs] for cell, cell_outputs in outputs.items()
    }


class _NotebookForm:
    """Converts outputs to nbformat, and limits the total pixels of all pictures on a page.

    Pictures are not decoded, which would take a twentieth of the time of a verdict for each. Their
    bytes are passed on with a verified type, and their size is read from the beginning of the file,
    as a browser does.
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
        bundle, texts = {}, [_text(data["text/plain"])] if "text/plain" in data else []
        for mime, content in data.items():
            if mime == "text/plain":
                continue
            try:
                self._count(content, mime)
                bundle[mime] = base64.b64encode(content).decode()
            except NoPicture as error:
                texts.append(f"[a picture is not shown: {error}]")
        return bundle | ({"text/plain": "\n".join(texts)} if texts else {})

    def _count(self, content: bytes, mime: str) -> None:
        """Count the pixels of a picture. Raise `NoPicture` for another type or too many pixels."""
        actual, pixels = measure(content)
        if actual != mime:
            raise NoPicture(f"it is no {mime}")
        self.pixels_left -= pixels
        if self.pixels_left < 0:
            raise NoPicture("the pictures of this notebook are too many or too large")


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
