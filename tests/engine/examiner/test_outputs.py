"""What cells showed is read within bounds, and nothing of it is for a browser to run."""

import base64
import json
import struct
import zlib

import pytest

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.examiner.outputs import (
    MAX_OUTPUTS,
    MAX_TEXT,
    as_notebook_outputs,
    read_outputs,
    size,
)

PIXELS = b"\0\0\0\0IDAT\x35\xaf\x06\x1e"  # where a PNG has them; here, none
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


def test_texts_are_cut_where_the_candidates_own_side_did_not():
    """Lines become a list: a text of nothing but ends of lines would fill the memory."""
    long = bytes(3 * MAX_TEXT)
    shown = read_outputs(
        [STREAM | {"text": long}, ERROR | {"text": long, "traceback": long}], 1 << 30
    )
    assert [size(output) for output in shown] == [MAX_TEXT, 2 * MAX_TEXT]


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


def png(width, height):
    """The beginning of a PNG of this size: what is checked."""
    size = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + size
        + struct.pack(">I", zlib.crc32(size))
        + PIXELS
    )


def display(**data):
    return {"kind": "display", "data": {f"image/{kind}": content for kind, content in data.items()}}


def test_a_notebook_gets_them_in_its_own_form():
    drawn = {"kind": "display", "data": {"text/plain": b"<Figure>", "image/png": png(2, 1)}}
    outputs = as_notebook_outputs({"one": [STREAM | {"text": b"\xff"}, drawn], "two": [ERROR]})
    stream, picture = outputs["one"]
    (error,) = outputs["two"]
    assert stream == {"output_type": "stream", "name": "stdout", "text": "\ufffd"}
    assert picture["output_type"] == "display_data"
    encoded = base64.b64encode(png(2, 1)).decode()
    assert picture["data"] == {"text/plain": "<Figure>", "image/png": encoded}
    assert (error["ename"], error["evalue"]) == ("ValueError", "no")
    assert error["traceback"] == ["one", "two"]


@pytest.mark.parametrize(
    ("received", "why"),
    [
        (display(png=b"<svg onload='alert(1)'/>"), "it is no PNG, JPEG or GIF"),
        (display(png=b"\x89PNG"), "it is no PNG, JPEG or GIF"),
        (display(png=b"GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"), "it is no image/png"),
        (display(jpeg=png(2, 1)), "it is no image/jpeg"),
        (display(png=png(30_000, 30_000)), "too many pixels"),
        (display(png=png(6_001, 6_000)), "6001 x 6000 pixels"),
    ],
    ids=lambda one: one if isinstance(one, str) else "received",
)
def test_what_is_not_the_picture_that_it_says_is_not_shown(received, why):
    ((shown,),) = as_notebook_outputs({"cell": [received]}).values()
    assert shown["data"].keys() == {"text/plain"} and why in shown["data"]["text/plain"]


def test_the_pixels_of_all_pictures_are_bounded():
    large = display(png=png(6_000, 5_000))
    shown = as_notebook_outputs(
        {"one": [large, large], "two": [large, large, display(png=png(2, 1))]}
    )
    kept = ["image/png" in output["data"] for outputs in shown.values() for output in outputs]
    assert kept == [True, True, True, False, False]


def test_an_error_has_a_name_that_can_be_written():
    received = [
        {"kind": "error", "type": "\ud800\udcff", "text": b"\xff", "traceback": b"\xff\n\xfe"}
    ]
    (output,) = as_notebook_outputs({"a": read_outputs(received, 1_000)})["a"]
    json.dumps(output, ensure_ascii=False).encode()
    assert output["ename"] == "??"
