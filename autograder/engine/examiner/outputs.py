"""Read what cells showed, within bounds, and give it the form of a notebook's outputs."""

import base64
from collections.abc import Iterator

from autograder.engine.candidate.channel import ChannelError

MAX_SHOWN = 32 << 20  # bytes of a submission's outputs; what comes after them is left out
MAX_OUTPUTS = 1_000  # a cell
MIMES = frozenset({"text/plain", "image/png", "image/jpeg"})


def read_outputs(received: object, room: int) -> list[dict]:
    """Return the outputs of one cell that fit into `room` bytes. Raises `ChannelError`.

    Their form is that of `candidate/cells.py`: streams, displays and errors, texts as bytes.
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
    """How many bytes an output has."""
    values = [*output.values(), *output.get("data", {}).values()]
    return sum(len(value) for value in values if isinstance(value, bytes))


def _output(received: object) -> dict:
    match received:
        case {"kind": "stream", "name": "stdout" | "stderr" as name, "text": bytes(text)}:
            return {"kind": "stream", "name": name, "text": text}
        case {"kind": "display", "data": dict(data)} if data.keys() <= MIMES:
            if all(isinstance(value, bytes) for value in data.values()):
                return {"kind": "display", "data": dict(data)}
        case {"kind": "error", "type": str(kind), "text": bytes(text), "traceback": bytes(lines)}:
            return {"kind": "error", "type": kind[:80], "text": text, "traceback": lines}
    raise ChannelError("an output of another form")


def as_notebook_outputs(outputs: list[dict]) -> Iterator[dict]:
    """Yield what a cell printed and drew in nbformat's form, with nothing that a browser would run."""
    for output in outputs:
        match output:
            case {"kind": "stream", "name": name, "text": text}:
                yield {"output_type": "stream", "name": name, "text": _text(text)}
            case {"kind": "display", "data": data}:
                bundle = {mime: _mime(mime, content) for mime, content in data.items()}
                yield {"output_type": "display_data", "data": bundle, "metadata": {}}
            case {"kind": "error", "type": kind, "text": text, "traceback": lines}:
                yield {
                    "output_type": "error",
                    "ename": kind,
                    "evalue": _text(text),
                    "traceback": _text(lines).split("\n"),
                }


def _mime(mime: str, content: bytes) -> str:
    return _text(content) if mime == "text/plain" else base64.b64encode(content).decode()


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
