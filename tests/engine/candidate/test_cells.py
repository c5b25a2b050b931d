"""What a cell shows is kept within caps, and nothing of it is for a browser to run."""

import base64

import pytest

from autograder.engine.candidate.outputs import (
    CUT,
    MAX_DISPLAYS,
    MAX_PICTURE,
    MAX_TEXT,
    Collector,
)

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def collector():
    return Collector()


def test_of_what_is_displayed_text_and_pictures_stay(collector):
    script = base64.b64encode(b"<script>").decode()
    collector.append(
        {
            "data": {
                "text/plain": "<Figure>",
                "text/html": script,
                "text/markdown": script,
                "text/latex": script,
                "application/javascript": script,
                "application/json": {"x": 1},
                "image/svg+xml": script,
                "image/png": base64.b64encode(PNG).decode(),
                "image/jpeg": PNG,
            }
        }
    )
    kept = {"text/plain": b"<Figure>", "image/png": PNG, "image/jpeg": PNG}
    assert collector.as_sent() == [{"kind": "display", "data": kept}]
    collector.append({"data": {"text/html": script}})
    assert len(collector.outputs) == 1


@pytest.mark.parametrize("piece", [1, 100, 333, MAX_TEXT, 3 * MAX_TEXT])
def test_a_flood_of_text_is_cut_and_says_so_once(collector, piece):
    for _ in range(3 * MAX_TEXT // piece):
        collector.stream("stdout", "x" * piece)
    (shown,) = collector.as_sent()
    assert shown["text"] == b"x" * MAX_TEXT + CUT.encode()


def test_texts_of_displays_and_errors_are_cut(collector):
    collector.append({"data": {"text/plain": "x" * (MAX_TEXT + 1)}})
    collector.error(ValueError, ValueError("x" * (MAX_TEXT + 1)), ["x" * (MAX_TEXT + 1)] * 30)
    display, error = collector.as_sent()
    assert len(display["data"]["text/plain"]) == MAX_TEXT
    assert len(error["text"]) == MAX_TEXT and len(error["traceback"]) == 20 * MAX_TEXT + 19


def test_a_picture_has_a_largest_size_and_a_cell_so_many(collector):
    collector.append({"data": {"image/png": bytes(MAX_PICTURE + 1)}})
    assert collector.outputs == []
    for _ in range(MAX_DISPLAYS + 5):
        collector.append({"data": {"image/png": bytes(MAX_PICTURE)}})
    assert len(collector.outputs) == MAX_DISPLAYS
