"""The reader takes any bytes and gives cells, or one sentence that says what to do."""

import contextlib
import json
import math
import os
import re
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.engine import Unreadable
from autograder.engine.notebooks import (
    MAX_BYTES,
    json_parts,
    parse_notebook,
    read_notebook,
    read_submission,
    reader,
)

pytestmark = pytest.mark.slow


def notebook(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": list(cells), "nbformat": 4, "nbformat_minor": 5} | more).encode()


def code(source: object, **more: object) -> dict:
    return {"cell_type": "code", "source": source, "metadata": {}} | more


GREATER = '{"cells": [{"cell_type": "code", "source": "größe = 1"}]}'


@pytest.mark.parametrize(
    ("data", "source"),
    [
        (notebook(code("a\nb")), "a\nb"),
        (notebook(code(["a\n", "b"])), "a\nb"),
        (notebook(code("x = '\ud800'")), "x = '?'"),
        (notebook(code("1", metadata=[])), "1"),
        (notebook(code("1", metadata={"nbgrader": 3}, id=7)), "1"),
        (notebook(code("<<<<<<< HEAD\n1\n=======\n")), "<<<<<<< HEAD\n1\n=======\n"),
        *((GREATER.encode(f"utf-{name}"), "größe = 1") for name in ("8", "8-sig", "16", "32")),
        *((GREATER.encode(f"utf-16-{end}"), "größe = 1") for end in ("le", "be")),
    ],
)
def test_what_a_cell_says_is_read_however_it_is_written(data, source):
    (cell,) = parse_notebook(data, "x")
    assert (cell.source, cell.id, cell.grade_id) == (source, None, None)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_only_python_writes_are_no_harm(number):
    text = r"""print("NaN", '-Infinity \', "\" NaN)"""
    outputs = [{"data": {"value": number}}]
    metadata = {"value": number, "nbgrader": {"points": [number, -1]}}
    data = notebook(code(text, metadata=metadata, outputs=outputs), metadata={"value": number})
    (cell,) = parse_notebook(data, "x")
    assert cell.source == text
    (cell,) = parse_notebook(notebook(code("1", id=number)), "x")
    assert cell.id is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b'{"cells": [', "damaged"),
        (b"[]", "no notebook with cells"),
        (b"null", "no notebook with cells"),
        (b'{"cells": {}}', "no notebook with cells"),
        (b'{"cells": [], "cells": []}', "damaged"),
        (b'{"cells": ' + b"[" * 100_000, "damaged"),
        (b'{"n": ' + b"9" * 5_000 + b"}", "no notebook with cells"),
        (b'{"cells": [NaN]}', "cell that is none"),
        (b'{"cells": [NaNa]}', "damaged"),
        (b'{"cells": [\n1,\n]}', "line 3"),
        (notebook(code("1")).replace(b'"metadata"', b'"source": "2", "metadata"'), "damaged"),
        (notebook(code("1")).decode().encode("utf-16")[:-21], "damaged"),
        (notebook().replace(b"nbformat", b"\xe9"), "not UTF-8"),
        (notebook(code(math.nan)), "cell without text"),
        (b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> b\n]}', "`<<<<<<<` in line 2"),
        (b'{"cells": [\r\n1\r\n=======\r\n]}', "git's conflict markers (`=======` in line 3)"),
        ("{\n||||||| a\n}".encode("utf-16"), "`|||||||` in line 2"),
        (notebook("a cell"), "cell that is none"),
        (notebook(code(3)), "cell without text"),
        (notebook(code([1])), "cell without text"),
        (notebook(*[code("")] * (reader.MOST_CELLS + 1)), "more than"),
        (notebook(code("#" * (reader.MOST_CODE + 1))), "more than"),
    ],
)
def test_what_is_no_notebook_is_said_in_a_sentence(data, reason):
    with pytest.raises(Unreadable, match=re.escape(reason)) as refusal:
        parse_notebook(data, "hw.ipynb")
    assert "`hw.ipynb`" in str(refusal.value) and str(refusal.value).endswith(".")


json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["cells", "source", "metadata", "nbgrader", "id"]), inner)
    ),
    max_leaves=12,
)


ids = st.sampled_from(["softmax", "check_softmax", "explain", "", "\ud800", "x" * 300])
odd = json_value | ids | st.sampled_from([{"kinds": []}, {"nbgrader": {"grade_id": []}}])
cell = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | odd},
    optional={
        "source": st.sampled_from(["def softmax(x): pass", "![x](attachment:a)"]) | odd,
        "id": ids | odd,
        "metadata": st.fixed_dictionaries({"nbgrader": odd | st.dictionaries(ids, odd)}) | odd,
        "attachments": odd | st.dictionaries(st.sampled_from(["a", ""]), odd),
        "outputs": odd,
        "kinds": odd,
    },
)


@given(st.lists(cell, max_size=5), st.booleans())
@example([code("1", metadata={"kinds": []})], True)
@example([code("1", kinds=[])], True)
@example([code("1", metadata={"nbgrader": {"grade_id": {}}})], True)
@example([code("1", metadata={"nbgrader": [], "tags": "skip"})], True)
@example([code(None)], True)
@example([code("1", id=[], attachments=[])], True)
@example([{"cell_type": []}], True)
@example([{"cell_type": "markdown", "source": "![](attachment:a)", "attachments": {"a": []}}], True)
@example(
    [{"cell_type": "markdown", "source": "![](attachment:a)", "attachments": {"a": {"b": 1}}}], True
)
@example(
    [{"cell_type": "markdown", "source": "![](attachment:a)", "attachments": {"a": {"": "="}}}], 1
)
def test_cells_of_any_form_are_a_submission_with_a_hash(tmp_path_factory, small, cells, ours):
    """Read and repaired, or unreadable with a sentence: never an exception."""
    released = json.loads(small.release.read_text())["cells"] if ours else []
    file = tmp_path_factory.getbasetemp() / "hw.ipynb"
    file.write_bytes(notebook(*released, *cells))
    submission = read_submission(small, "ada", file)
    assert submission.unreadable.endswith((".", "?")) or submission.cells
    assert len(submission.hash) == 32


@pytest.mark.parametrize(
    "part",
    [
        {"source": "x" * (json_parts.MAX_TEXT + 1)},
        {"source": [""] * json_parts.MAX_QUOTES},
        {"source": "", "metadata": {str(n): n for n in range(json_parts.MAX_NAMES + 1)}},
    ],
    ids=["a long text", "many lines", "many names"],
)
def test_a_part_without_end_is_damaged(part):
    data = notebook({"cell_type": "markdown", "metadata": {}} | part)
    with pytest.raises(Unreadable, match="damaged"):
        parse_notebook(data, "x")


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_any_bytes_are_cells_or_unreadable(data):
    with contextlib.suppress(Unreadable):
        assert isinstance(parse_notebook(data, "x"), list)


@pytest.mark.parametrize("kind", ["link", "pipe", "huge", "missing"])
def test_what_is_no_file_to_be_read_is_said(tmp_path, kind):
    path = tmp_path / "hw.ipynb"
    match kind:
        case "link":
            (tmp_path / "secret.ipynb").write_bytes(notebook(code("1")))
            path.symlink_to("secret.ipynb")
        case "pipe":
            os.mkfifo(path)
        case "huge":
            path.touch()
            os.truncate(path, MAX_BYTES + 1)
    said = {"huge": "clear its outputs", "missing": "There is no notebook `hw.ipynb`"}
    with pytest.raises(Unreadable, match=said.get(kind, "no regular file")):
        read_notebook(path)


LARGE = 40 << 20
PICTURE = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" * 100_000}}
ONE_CELL = b'{"cells":[{"cell_type":"code","source":"x = 1","outputs":[%b]}],"metadata":{}}'


def large(part: bytes) -> bytes:
    return ONE_CELL % (part * (LARGE // len(part)) + b"0")


@pytest.mark.parametrize(
    "part", [json.dumps(PICTURE).encode() + b",", b'"Epoch 1: 3.2\\n",', b"[],"]
)
def test_of_a_notebook_that_is_large_by_its_outputs_nothing_else_is_built(tmp_path, part):
    data = large(part)
    (tmp_path / "hw.ipynb").write_bytes(data)
    tracemalloc.start()
    (cell,) = parse_notebook(data, "hw.ipynb")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cell.source == "x = 1" and peak < 8 << 20
    assert read_notebook(tmp_path / "hw.ipynb") == [cell]


@pytest.mark.parametrize(
    ("make", "reason"),
    [  # made in the test: each of them is 40 MB, and every fork would share them
        (
            lambda: large(b"[],").replace(b"x = 1", b"x" * (json_parts.MAX_TEXT + 1)),
            "a text without end",
        ),
        (lambda: large(b'"",')[:-20], "damaged"),
        (lambda: large(b'"",').replace(b'"cells"', b'"sheets"'), "no notebook with cells"),
        (lambda: b"<html>" + b" " * LARGE, "is a web page"),
        (lambda: b"PK\x03\x04" + b" " * LARGE, "is a zip archive"),
        (lambda: b" " * LARGE, "is empty"),
    ],
    ids=["a long cell", "cut off", "no cells", "a web page", "a zip", "nothing"],
)
def test_what_is_large_and_no_notebook_is_said_in_a_sentence(tmp_path, make, reason):
    (tmp_path / "hw.ipynb").write_bytes(make())
    with pytest.raises(Unreadable, match=reason) as refusal:
        read_notebook(tmp_path / "hw.ipynb")
    assert "`hw.ipynb`" in str(refusal.value) and str(refusal.value).endswith(".")


def test_bytes_have_the_cap_of_a_file(monkeypatch):
    monkeypatch.setattr(reader, "MAX_BYTES", 20)
    with pytest.raises(Unreadable, match="clear its outputs"):
        parse_notebook(notebook(code("1")), "hw.ipynb")


def test_a_release_leaves_half_of_the_code_to_the_student(assignment):
    assert (
        sum(len(cell.source) for cell in assignment.cells if cell.kind == "code")
        < reader.MOST_CODE / 2
    )
