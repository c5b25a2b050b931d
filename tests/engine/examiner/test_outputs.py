"""What cells showed is read within bounds, and nothing of it is for a browser to run."""

import pytest

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.examiner.outputs import (
    MAX_OUTPUTS,
    as_notebook_outputs,
    read_outputs,
    size,
)

STREAM = {"kind": "stream", "name": "stdout", "text": b"words \xe2\x88\x91"}
PICTURE = {"kind": "display", "data": {"text/plain": b"<Figure>", "image/png": b"\x89PNG"}}
ERROR = {"kind": "error", "type": "ValueError", "text": b"no", "traceback": b"one\ntwo"}


def test_outputs_are_read_as_they_are():
    assert read_outputs([STREAM, PICTURE, ERROR], room=1000) == [STREAM, PICTURE, ERROR]
    assert read_outputs([], room=0) == []


def test_what_has_no_room_is_left_out_with_all_after_it():
    assert size(PICTURE) == 12 and size(STREAM) == 9 and size(ERROR) == 9
    assert read_outputs([STREAM, PICTURE, ERROR], room=20) == [STREAM]
    assert read_outputs([PICTURE, STREAM, ERROR], room=21) == [PICTURE, STREAM]


@pytest.mark.parametrize(
    "received",
    [
        *(None, 7, {"kind": "stream"}, [7], [{}], [STREAM] * (MAX_OUTPUTS + 1)),
        [STREAM | {"name": "stdin"}],
        [STREAM | {"text": "text"}],
        [PICTURE | {"data": {"text/html": b"<script>"}}],
        [PICTURE | {"data": {"text/plain": "text"}}],
        [ERROR | {"traceback": None}],
        [{"kind": "widget"}],
    ],
)
def test_outputs_of_another_form_are_nonsense(received):
    with pytest.raises(ChannelError):
        read_outputs(received, room=1000)


def test_what_else_comes_with_an_output_is_left_out():
    (read,) = read_outputs([STREAM | {"metadata": {"x": 1}}], room=1000)
    assert read == STREAM
    (read,) = read_outputs([ERROR | {"type": "E" * 999}], room=1000)
    assert read["type"] == "E" * 80


def test_a_notebook_gets_them_in_its_own_form():
    stream, picture, error = as_notebook_outputs([STREAM | {"text": b"\xff"}, PICTURE, ERROR])
    assert stream == {"output_type": "stream", "name": "stdout", "text": "\ufffd"}
    assert picture["output_type"] == "display_data"
    assert picture["data"] == {"text/plain": "<Figure>", "image/png": "iVBORw=="}
    assert (error["ename"], error["evalue"]) == ("ValueError", "no")
    assert error["traceback"] == ["one", "two"]
