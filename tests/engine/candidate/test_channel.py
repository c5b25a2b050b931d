"""Whatever arrives on the channel is plain values and tensors, or a ChannelError."""

import contextlib
import json
import socket
import struct
import time

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.engine.candidate.channel import (
    MAX_BODY,
    MAX_HEAD,
    Channel,
    ChannelClosed,
    ChannelError,
    DeadlinePassed,
    decode,
)


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    yield Channel(one), Channel(other)
    one.close()
    other.close()


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_what_is_sent_is_what_arrives(ends):
    here, there = ends
    here.send({"n": None, "t": (1, [2.5, "x"], True), "d": {"a": b"", "b": b"\0\xff"}}, soon())
    assert there.receive(soon()) == {
        "n": None,
        "t": (1, [2.5, "x"], True),
        "d": {"a": b"", "b": b"\0\xff"},
    }


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.bool]
)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)], ids=["scalar", "empty", "matrix"])
def test_tensors_arrive_with_dtype_and_shape(ends, dtype, shape):
    here, there = ends
    tensor = torch.rand(shape).to(dtype)
    here.send({"x": [tensor, tensor.t() if tensor.dim() == 2 else tensor]}, soon())
    first, second = there.receive(soon())["x"]
    assert first.dtype == dtype and torch.equal(first, tensor)
    assert torch.equal(second, tensor.t() if tensor.dim() == 2 else tensor)


def test_nan_and_infinity_arrive_as_they_are(ends):
    here, there = ends
    here.send({"x": [float("inf"), -float("inf"), float("nan")]}, soon())
    high, low, none = there.receive(soon())["x"]
    assert (high, low) == (float("inf"), -float("inf")) and none != none


@pytest.mark.parametrize("value", [object(), {1, 2}, lambda: 0], ids=["object", "set", "function"])
def test_other_values_are_refused_by_the_sender(ends, value):
    with pytest.raises(ChannelError):
        ends[0].send({"x": value}, soon())


@pytest.mark.parametrize("sizes", [(MAX_HEAD + 1, 0), (2, MAX_BODY + 1), (2**32 - 1, 2**32 - 1)])
def test_a_length_bomb_is_refused_before_it_is_read(ends, sizes):
    here, there = ends
    here.sock.setblocking(True)
    here.sock.sendall(struct.pack(">II", *sizes))
    with pytest.raises(ChannelError, match="over the cap"):
        there.receive(soon())


def test_half_a_frame_is_late(ends):
    here, there = ends
    here.sock.sendall(struct.pack(">II", 10, 0) + b"{")
    with pytest.raises(DeadlinePassed):
        there.receive(soon(0.05))


def test_nobody_there_is_closed(ends):
    here, there = ends
    here.close()
    with pytest.raises(ChannelClosed):
        there.receive(soon())


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"null",
        b"[1]",
        b'{"x": NaN}' + b" " * 3 + b"}",
        b'{"a": 1, "a": 2}',
        b'{"x": {"tensor": "0"}}',
        b'{"x": {"float": "1e9"}}',
        b'{"x": {"pickle": "0"}}',
        b'{"x": {"tensor": "0", "more": 1}}',
        b'{"x": {}}',
        b'{"x":' + b"[" * 30_000,
        b'{"x": ' + b"9" * 5_000 + b"}",
        "{'x': 1}".encode("utf-16"),
    ],
)
def test_hostile_heads_are_channel_errors(head):
    with pytest.raises(ChannelError):
        decode(head, b"")


@pytest.mark.parametrize(
    "table",
    [
        {"0": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}},
        {"0": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 4]}},
        {"0": {"dtype": "F32", "shape": [1] * 9, "data_offsets": [0, 4]}},
        {"0": {"dtype": "O", "shape": [1], "data_offsets": [0, 4]}},
        {"0": {"dtype": "F32", "shape": [1], "data_offsets": [0, 99]}},
    ],
    ids=["negative", "too large", "nine dims", "objects", "beyond the end"],
)
def test_hostile_tensors_are_channel_errors(table):
    text = json.dumps(table).encode()
    with pytest.raises(ChannelError):
        decode(b'{"x": {"tensor": "0"}}', struct.pack("<Q", len(text)) + text + b"\0" * 4)


@given(head=st.binary(max_size=200), body=st.binary(max_size=200))
def test_random_bytes_are_channel_errors_or_messages(head, body):
    with contextlib.suppress(ChannelError):
        assert isinstance(decode(head, body), dict)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(message=st.dictionaries(st.text(), plain, max_size=4))
def test_every_plain_message_survives(message):
    one, other = socket.socketpair()
    with one, other:
        Channel(one).send(message, soon())
        assert Channel(other).receive(soon()) == message


def test_a_head_cannot_multiply_a_body():
    body = safetensors.torch.save({"0": torch.zeros(4, dtype=torch.uint8)})
    for head in (
        b'{"x": [{"bytes": "0"}, {"bytes": "0"}]}',
        b'{"x": [{"tensor": "0"}, {"bytes": "0"}]}',
    ):
        with pytest.raises(ChannelError):
            decode(head, body)


def test_a_body_holds_nothing_that_the_head_does_not_speak_of():
    with pytest.raises(ChannelError, match="does not speak of"):
        decode(b'{"x": 1}', safetensors.torch.save({"0": torch.zeros(1)}))


def test_a_body_names_only_so_many_tensors():
    many = safetensors.torch.save({str(i): torch.zeros(0) for i in range(5_000)})
    with pytest.raises(ChannelError, match="more tensors"):
        decode(b'{"x": 1}', many)
