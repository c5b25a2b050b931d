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


ONE = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


def saved(*tensors: torch.Tensor) -> bytes:
    """Return a body with these tensors, each by the name of its dtype."""
    return safetensors.torch.save({str(x.dtype).removeprefix("torch."): x for x in tensors})


def forged(name: str = "float32", **changes: object) -> bytes:
    """Return a body whose table says something else of its one number."""
    table = json.dumps({name: ONE | changes}).encode()
    return struct.pack("<Q", len(table)) + table + bytes(4)


def speaks_of(*content: object) -> bytes:
    return json.dumps({"x": {"tensor": content}}).encode()


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"", b""),
        (b"null", b""),
        (b"[1]", b""),
        (b'{"x": NaN}', b""),
        (b'{"x": [1, -Infinity]}', b""),
        (b'{"x": "\\ud800"}', b""),
        (b'{"x": {"items": [[{"tuple": []}, 1]]}}', b""),
        (b'{"x": {"items": [[1, 1], [1, 2]]}}', b""),
        (b'{"x": {"items": [[[1], 1]]}}', b""),
        (b'{"x": {"float": "nan", "bytes": 0}}', b""),
        (b'{"x": {"bytes": 1}}', b""),
        (b'{"x": {"bytes": "0"}}', b""),
        (b'{"a": 1, "a": 2}', b""),
        (b'{"x": {"tensor": "0"}}', b""),
        (b'{"x": {"tensor": []}}', b""),
        (b'{"x": {"tensor": ["float64"]}}', b""),
        (b'{"x": {"tensor": ["complex64", 0]}}', b""),
        (b'{"x": {"float": "1e9"}}', b""),
        (b'{"x": {"pickle": "0"}}', b""),
        (b'{"x": {"tensor": ["float32", 1], "more": 1}}', b""),
        (b'{"x": {}}', b""),
        (b'{"x":' + b"[" * 30_000, b""),
        (b'{"x": ' + b"9" * 5_000 + b"}", b""),
        ("{'x': 1}".encode("utf-16"), b""),
        (speaks_of("float32", 1), forged(shape=[-1])),
        (speaks_of("float32", 1), forged(shape=[2**40])),
        (speaks_of("float32", 1), forged(shape=[1, 1])),
        (speaks_of("float32", 1), forged(dtype="I32")),
        (speaks_of("float32", 1), forged(dtype="O")),
        (speaks_of("float32", 1), forged(data_offsets=[0, 99])),
        (speaks_of("float32", 1), forged("another")),
        (speaks_of("complex64", 2), saved(torch.zeros(2, dtype=torch.complex64))),
        (speaks_of("float8_e5m2", 2), saved(torch.zeros(2, dtype=torch.float8_e5m2))),
        (speaks_of("uint16", 2), saved(torch.zeros(2, dtype=torch.uint16))),
        (speaks_of("float32", -1), saved(torch.zeros(1))),
        (speaks_of("float32", -1, -2), saved(torch.zeros(2))),
        (speaks_of("float32", True), saved(torch.zeros(1))),
        (speaks_of("float32", 2.0), saved(torch.zeros(2))),
        (speaks_of("float32", "2"), saved(torch.zeros(2))),
        (speaks_of("float32", None), saved(torch.zeros(1))),
        (speaks_of("float32", [1]), saved(torch.zeros(1))),
        (speaks_of("float32", *[1] * 9), saved(torch.zeros(1))),
        (speaks_of("float32", 3), saved(torch.zeros(2))),
        (speaks_of("float32", 0, 1 << 40), saved(torch.empty(0))),
        (speaks_of("float32", 1 << 20, 0, 1 << 20), saved(torch.empty(0))),
        (speaks_of("float32", 0, MAX_BODY + 1), saved(torch.empty(0))),
        (b'{"x": [{"bytes": 4}, {"bytes": 4}]}', saved(torch.zeros(4, dtype=torch.uint8))),
        (
            b'{"x": [{"tensor": ["uint8", 4]}, {"bytes": 1}]}',
            saved(torch.zeros(4, dtype=torch.uint8)),
        ),
        (b'{"x": 1}', saved(torch.zeros(2))),
        (speaks_of("float32", 1), saved(torch.zeros(2))),
    ],
)
def test_a_hostile_frame_is_a_channel_error(head, body):
    with pytest.raises(ChannelError):
        decode(head, body)


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


def test_a_body_names_only_so_many_rows():
    many = safetensors.torch.save({str(i): torch.zeros(0) for i in range(500)})
    with pytest.raises(ChannelError, match="more rows"):
        decode(b'{"x": 1}', many)


def test_want_of_memory_is_no_fault_of_the_other_side(monkeypatch):
    def exhausted(body: bytes) -> dict:
        raise MemoryError

    monkeypatch.setattr(safetensors.torch, "load", exhausted)
    with pytest.raises(MemoryError):
        decode(b"{}", bytes(9))


KINDS = ["tensor", "bytes", "tuple", "dict", "items", "float", "pickle", ""]
EDGES = [-1, 0, 1, 2, 8, 9, 2**31, 2**32 - 1, 2**62, 2**63, 2**64]
names = st.sampled_from(["0", "1", "2", "", "__metadata__", "value", "float32", "\x00", "\ud800"])
packed = st.recursive(
    st.none() | st.booleans() | st.sampled_from(EDGES) | st.floats() | names | st.just("nan"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(names, inner, max_size=2)
        | st.builds(lambda kind, content: {kind: content}, st.sampled_from(KINDS), inner | names)
    ),
    max_leaves=8,
)
heads = packed.map(json.dumps).map(str.encode) | st.binary(max_size=200)
bodies = st.sampled_from([b"", saved(torch.zeros(2, 3)), forged(shape=[0])])


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


@given(heads, bodies | st.binary(max_size=200))
def test_any_frame_is_a_message_of_its_own_size_or_a_channel_error(head, body):
    try:
        message = decode(head, body)
    except ChannelError:
        return
    tensors = list(tensors_in(message))
    assert sum(tensor.nbytes for tensor in tensors) <= len(body)
    assert all(tensor.dim() <= 8 and tensor.is_contiguous() for tensor in tensors)
