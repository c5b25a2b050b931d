"""Frames: a JSON head and a safetensors body, with capped sizes.

Both sides import this module. The examiner must distrust the candidate: a frame is either decoded
to a dict of plain values and tensors, or raises `ChannelError`. Nothing is unpickled, and no name
from a frame is looked up.

    frame = head_size: u32 | body_size: u32 | head: JSON | body: safetensors, or nothing

All tensors of a dtype are joined to a single row of the body, under the name of the dtype. The head
holds the shape of each tensor. So hundreds of small tensors cost little more than a single tensor.
"""

import json
import math
import struct

import safetensors
import safetensors.torch
import torch

from autograder.engine.candidate.tensors import numbers

MAX_HEAD = 128 * 1024
MAX_BODY = 64 * 1024 * 1024
MAX_DIMS = 8
MAX_TENSORS_HEAD = 4 * 1024  # bytes in which safetensors names the rows of a body
SIZES, TENSORS_HEAD = struct.Struct(">II"), struct.Struct("<Q")
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8),
    )
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


Rows = dict[str, list[torch.Tensor]]  # by dtype: the numbers of each tensor


class ChannelError(Exception):
    """A message cannot be sent or received. Subclasses say that the channel is closed or the
    deadline has passed.
    """


class Unsendable(ChannelError):
    """A value has a type that cannot be sent."""


def encode(message: dict) -> bytes:
    """Return the frame of a dict of plain values, tensors and bytes, nested in lists, tuples and
    dicts.

    Raise `Unsendable` if a value has another type, `ChannelError` if the frame is too large.
    """
    rows: Rows = {}
    packed = {name: _pack(value, rows) for name, value in message.items()}
    try:
        head = ENCODER.encode(packed).encode()
    except ValueError as error:
        raise ChannelError(f"no JSON for this message: {error}") from error
    body = _serialize(rows) if rows else b""
    if len(head) > MAX_HEAD or len(body) > MAX_BODY:
        raise ChannelError(f"a frame of {len(head)} + {len(body)} bytes is over the cap")
    return b"".join((SIZES.pack(len(head), len(body)), head, body))


def decode(head: bytes, body: bytes) -> dict:
    """Return the message in a frame. Raise `ChannelError` if the frame is invalid."""
    try:
        packed = DECODER.decode(head.decode())
        if body and TENSORS_HEAD.unpack_from(body)[0] > MAX_TENSORS_HEAD:
            raise ChannelError("more rows than there are dtypes")
        if not isinstance(packed, dict):
            raise ChannelError("the head of a frame is a JSON object")
        tensors = Body(safetensors.torch.load(body) if body else {})
        message = {name: _unpack(value, tensors) for name, value in packed.items()}
        tensors.end()
        return message
    except (ChannelError, MemoryError):
        raise
    except Exception as error:  # whatever a hostile frame makes json, safetensors or torch raise
        raise ChannelError(f"not a frame: {type(error).__name__}") from error


class Body:
    """The body of a frame: a one-dimensional row of numbers by the name of its dtype.

    Tensors are taken from the rows in order, each number once. Raise `ChannelError` if a row has
    another form.
    """

    def __init__(self, rows: dict[str, torch.Tensor]):
        for name, row in rows.items():
            if DTYPES.get(name) != row.dtype or row.dim() != 1:
                raise ChannelError("no row of the numbers of one dtype")
        self.rows = rows
        self.taken = dict.fromkeys(rows, 0)

    def take(self, name: str, shape: list) -> torch.Tensor:
        """Return a copy of the next tensor of this shape from the row of the dtype `name`.

        Raise `ChannelError` if the shape has too many or too large axes, `KeyError` if there is no
        such row, and an error of torch if too few numbers are left.
        """
        if len(shape) > MAX_DIMS:
            raise ChannelError("a tensor of too many axes")
        if numbers(shape) > MAX_BODY:
            raise ChannelError("a tensor whose axis of size zero hides others")
        begin, count = self.taken[name], math.prod(shape)
        self.taken[name] = begin + count
        # by itself in memory: how numbers are added up depends on where they begin
        return self.rows[name][begin : begin + count].view(shape).clone()

    def end(self) -> None:
        """Raise `ChannelError` if numbers are left in a row."""
        if any(len(row) != self.taken[name] for name, row in self.rows.items()):
            raise ChannelError("numbers that the head does not speak of")


def _pack(value: object, rows: Rows) -> object:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is list:
        return [_pack(item, rows) for item in value]  # type: ignore[attr-defined]
    if isinstance(value, tuple):  # a named one, too
        return {"tuple": [_pack(item, rows) for item in value]}  # type: ignore[attr-defined]
    if kind is dict:
        return _pack_dict(value, rows)  # type: ignore[arg-type]
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}  # type: ignore[arg-type]
    if kind is bytes:
        row = torch.frombuffer(bytearray(value or b"\0"), dtype=torch.uint8)[: len(value)]  # type: ignore
        rows.setdefault("uint8", []).append(row)
        return {"bytes": len(row)}
    if isinstance(value, torch.Tensor) and value.dtype in NAMES:
        name = NAMES[value.dtype]
        rows.setdefault(name, []).append(value.detach().cpu().reshape(-1))
        return {"tensor": [name, *value.shape]}
    raise Unsendable(f"a {kind.__name__} cannot be sent")


def _pack_dict(value: dict, rows: Rows) -> dict:
    if all(type(name) is str for name in value):
        return {"dict": {name: _pack(item, rows) for name, item in value.items()}}
    if not all(type(key) in KEYS for key in value):
        raise Unsendable("a dict with such keys cannot be sent")
    pairs = value.items()
    return {"items": [[_pack(key, rows), _pack(item, rows)] for key, item in pairs]}


def _serialize(rows: Rows) -> bytes:
    """Return the body of a frame, with the tensors of each dtype joined to a row."""
    # `safetensors.torch.save` would first search for shared memory, which takes most of its time
    joined = {name: torch.cat(tensors) for name, tensors in rows.items()}
    specs = {
        name: safetensors.TensorSpec(
            dtype=name, shape=row.shape, data_ptr=row.data_ptr(), data_len=row.nbytes
        )
        for name, row in joined.items()
    }
    return safetensors.serialize(specs)


def _unpack(value: object, body: Body) -> object:
    if isinstance(value, list):
        return [_unpack(item, body) for item in value]
    if isinstance(value, str):
        value.encode()  # raises ValueError for a lone surrogate
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "tensor":
            return body.take(content[0], content[1:])
        case "bytes":
            return bytes(body.take("uint8", [content]).numpy())
        case "tuple":
            return tuple(_unpack(item, body) for item in content)
        case "dict":
            return {_unpack(name, body): _unpack(item, body) for name, item in content.items()}
        case "items":
            pairs = [(_unpack(key, body), _unpack(item, body)) for key, item in content]
            if not all(type(key) in KEYS for key, _ in pairs) or len(dict(pairs)) != len(pairs):
                raise ChannelError("no dict with such keys")
            return dict(pairs)
        case "float" if content in ("nan", "inf", "-inf"):
            return float(content)
    raise ChannelError("no such kind of value")


def _unique(pairs: list) -> dict:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ChannelError("a key stands twice in the head")
    return result


def _refuse(constant: str) -> None:
    raise ChannelError(f"{constant} is no JSON")


PLAIN = frozenset({type(None), bool, int, str})
KEYS = PLAIN | {float}  # of a dict
ENCODER = json.JSONEncoder(allow_nan=False)
DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
