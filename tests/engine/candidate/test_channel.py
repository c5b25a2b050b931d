"""Whatever arrives on the channel is plain values and tensors, or a ChannelError."""

import json
import socket
import struct
from functools import partial

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.engine.candidate.channel import Channel, ChannelClosed, DeadlinePassed, within
from autograder.engine.candidate.frames import MAX_BODY, MAX_HEAD, ChannelError, decode


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    yield Channel(one), Channel(other)
    one.close()
    other.close()


soon = partial(within, 5.0)


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


@pytest.mark.parametrize(
    "make",
    [lambda: "x" * MAX_HEAD, lambda: torch.zeros(MAX_BODY, dtype=torch.uint8)],
    ids=["a head", "a body"],
)
def test_what_is_over_the_cap_is_not_sent(ends, make):
    with pytest.raises(ChannelError, match="over the cap"):
        ends[0].send({"x": make()}, soon())


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
        there.receive(within(0.05))


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
        b'{"x": NaN}',
        b'{"x": [1, -Infinity]}',
        b'{"x": "\\ud800"}',
        b'{"x": {"items": [[{"tuple": []}, 1]]}}',
        b'{"x": {"items": [[1, 1], [1, 2]]}}',
        b'{"x": {"items": [[[1], 1]]}}',
        b'{"x": {"float": "nan", "bytes": 0}}',
        b'{"x": {"bytes": 1}}',
        b'{"x": {"bytes": "0"}}',
        b'{"a": 1, "a": 2}',
        b'{"x": {"tensor": "0"}}',
        b'{"x": {"tensor": []}}',
        b'{"x": {"tensor": ["float64"]}}',
        b'{"x": {"tensor": ["complex64", 0]}}',
        b'{"x": {"float": "1e9"}}',
        b'{"x": {"pickle": "0"}}',
        b'{"x": {"tensor": ["float32", 1], "more": 1}}',
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
        {"float32": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}},
        {"float32": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 4]}},
        {"float32": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}},
        {"float32": {"dtype": "I32", "shape": [1], "data_offsets": [0, 4]}},
        {"float32": {"dtype": "O", "shape": [1], "data_offsets": [0, 4]}},
        {"float32": {"dtype": "F32", "shape": [1], "data_offsets": [0, 99]}},
        {"another": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
    ],
    ids="negative large matrix another_dtype objects beyond_the_end another_name".split(),
)
def test_hostile_rows_are_channel_errors(table):
    text = json.dumps(table).encode()
    with pytest.raises(ChannelError):
        decode(
            b'{"x": {"tensor": ["float32", 1]}}', struct.pack("<Q", len(text)) + text + b"\0" * 4
        )


@pytest.mark.parametrize(
    "dtype", [torch.complex64, torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16, torch.uint64]
)
def test_a_tensor_of_a_dtype_that_no_answer_has_is_a_channel_error(dtype):
    name = str(dtype).removeprefix("torch.")
    body = safetensors.torch.save({name: torch.zeros(2, dtype=dtype)})
    with pytest.raises(ChannelError, match="no row of"):
        decode(json.dumps({"x": {"tensor": [name, 2]}}).encode(), body)


@pytest.mark.parametrize(
    "shape", [[-1], [-1, -2], [True], [2.0], ["2"], [None], [1] * 9, [[1]], [3]]
)
@pytest.mark.parametrize("numbers", [1, 2])
def test_what_is_no_shape_of_what_is_there_is_a_channel_error(shape, numbers):
    body = safetensors.torch.save({"float32": torch.zeros(numbers)})
    with pytest.raises(ChannelError):
        decode(json.dumps({"x": {"tensor": ["float32", *shape]}}).encode(), body)


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
    body = safetensors.torch.save({"uint8": torch.zeros(4, dtype=torch.uint8)})
    for head in (
        b'{"x": [{"bytes": 4}, {"bytes": 4}]}',
        b'{"x": [{"tensor": ["uint8", 4]}, {"bytes": 1}]}',
    ):
        with pytest.raises(ChannelError):
            decode(head, body)


def test_a_body_holds_nothing_that_the_head_does_not_speak_of():
    body = safetensors.torch.save({"float32": torch.zeros(2)})
    for head in (b'{"x": 1}', b'{"x": {"tensor": ["float32", 1]}}'):
        with pytest.raises(ChannelError, match="does not speak of"):
            decode(head, body)


def test_tensors_of_one_dtype_are_told_apart(ends):
    here, there = ends
    some = [torch.rand(2, 3), torch.ones((), dtype=torch.int64), torch.rand(0, 4), torch.rand(5)]
    here.send({"x": some, "y": (b"ab", some[3].double(), b"", b"c")}, soon())
    got = there.receive(soon())
    assert all(torch.equal(one, other) for one, other in zip(got["x"], some, strict=True))
    assert (got["y"][0], *got["y"][2:]) == (b"ab", b"", b"c")


def test_a_body_names_only_so_many_rows():
    many = safetensors.torch.save({str(i): torch.zeros(0) for i in range(500)})
    with pytest.raises(ChannelError, match="more rows"):
        decode(b'{"x": 1}', many)


@pytest.mark.parametrize("shape", [(0, 1 << 40), (1 << 20, 0, 1 << 20), (0, MAX_BODY + 1)])
def test_a_zero_does_not_hide_the_other_axes(shape):
    body = safetensors.torch.save({"float32": torch.empty(0)})
    with pytest.raises(ChannelError, match="hides others"):
        decode(json.dumps({"x": {"tensor": ["float32", *shape]}}).encode(), body)


def test_want_of_memory_is_no_fault_of_the_other_side(monkeypatch):
    def exhausted(body: bytes) -> dict:
        raise MemoryError

    monkeypatch.setattr(safetensors.torch, "load", exhausted)
    with pytest.raises(MemoryError):
        decode(b"{}", bytes(9))


KINDS = ["tensor", "bytes", "tuple", "dict", "items", "float", "pickle", ""]
DTYPES = "F64 F32 F16 BF16 I64 I32 I16 I8 U8 U16 U64 BOOL C64 F8_E4M3 F4 O".split()
EDGES = [-1, 0, 1, 2, 8, 9, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64]
names = st.sampled_from(["0", "1", "2", "", "__metadata__", "value", "\x00", "\ud800"])
sizes = st.integers(0, 40) | st.sampled_from(EDGES)
packed = st.recursive(
    st.none() | st.booleans() | sizes | st.floats() | names | st.just("nan"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(names, inner, max_size=2)
        | st.builds(lambda kind, content: {kind: content}, st.sampled_from(KINDS), inner | names)
        | st.builds(
            lambda pairs: {"items": pairs}, st.lists(st.lists(inner, max_size=3), max_size=3)
        )
    ),
    max_leaves=8,
)
described = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(DTYPES),
        "shape": st.lists(sizes, max_size=10),
        "data_offsets": st.lists(sizes, min_size=1, max_size=3),
    }
) | st.none() | st.dictionaries(names, names, max_size=2)  # fmt: skip


@st.composite
def bodies(draw) -> bytes:
    """Bodies as safetensors writes them, or nearly."""
    if draw(st.booleans()):
        count = draw(st.integers(0, 3))
        kinds = [torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.complex64]
        tensors = {
            draw(names.filter(str.isdigit)): torch.zeros(
                draw(st.lists(st.integers(0, 2), max_size=9)), dtype=draw(st.sampled_from(kinds))
            )
            for _ in range(count)
        }
        body = safetensors.torch.save(tensors)
    else:
        table = json.dumps(draw(st.dictionaries(names, described, max_size=3))).encode()
        length = draw(st.just(len(table)) | sizes)
        body = struct.pack("<Q", min(length, 2**64 - 1) % 2**64) + table
        body += bytes(draw(st.integers(0, 64)))
    return damaged(draw, body)


@st.composite
def heads(draw) -> bytes:
    """Heads as a channel writes them, or nearly."""
    message = draw(st.dictionaries(names, packed, max_size=3) | packed)
    return damaged(draw, json.dumps(message).encode())


def damaged(draw, data: bytes) -> bytes:
    """The same, mostly; else with a few bytes changed, cut out or put in."""
    out = bytearray(data)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 3]))):
        at = draw(st.integers(0, len(out)))
        out[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(out)


def tensors_in(value: object):
    """Yield the tensors, and fail for anything that is no plain value."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            assert key is None or type(key) in (bool, int, float, str)
            yield from tensors_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, str):
        value.encode()
    else:
        assert value is None or type(value) in (bool, int, float, bytes)


@given(head=heads() | st.binary(max_size=200), body=bodies() | st.binary(max_size=200))
def test_any_frame_is_a_message_of_its_own_size_or_a_channel_error(head, body):
    try:
        message = decode(head, body)
    except ChannelError:
        return
    tensors = list(tensors_in(message))
    assert sum(tensor.nbytes for tensor in tensors) <= len(body)
    assert all(tensor.dim() <= 8 and tensor.is_contiguous() for tensor in tensors)


@given(st.lists(heads() | st.binary(max_size=30), max_size=3), bodies(), st.integers(0, 2**64 - 1))
def test_any_stream_is_messages_and_then_an_error(pieces, body, sizes_of_last):
    one, other = socket.socketpair()
    stream = b"".join(struct.pack(">II", len(piece), len(body)) + piece + body for piece in pieces)
    with one, other:
        one.sendall(stream + struct.pack(">Q", sizes_of_last) + body)
        one.close()
        with pytest.raises(ChannelError) as end:
            receive_without_end(Channel(other))
    assert not isinstance(end.value, DeadlinePassed)  # nothing was waited for


def receive_without_end(channel: Channel) -> None:
    while True:
        assert isinstance(channel.receive(soon()), dict)
