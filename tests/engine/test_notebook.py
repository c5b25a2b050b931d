"""The reader takes any bytes and gives cells, or one sentence that says what to do."""

import contextlib
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.engine.notebook import (
    MAX_BYTES,
    MAX_CELLS,
    MAX_SOURCE,
    Unreadable,
    parse_notebook,
    read_notebook,
)


def notebook(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": list(cells), "nbformat": 4, "nbformat_minor": 5} | more).encode()


def code(source: object, **more: object) -> dict:
    return {"cell_type": "code", "source": source, "metadata": {}} | more


def test_source_may_be_a_text_or_lines():
    cells = parse_notebook(notebook(code("a\nb"), code(["a\n", "b"])), "x")
    assert [cell.source for cell in cells] == ["a\nb", "a\nb"]


def test_a_byte_order_mark_is_no_harm():
    assert parse_notebook(b"\xef\xbb\xbf" + notebook(code("1")), "x")[0].source == "1"


def test_a_lone_surrogate_becomes_a_question_mark():
    assert parse_notebook(notebook(code("x = '\ud800'")), "x")[0].source == "x = '?'"


def test_metadata_of_any_form_is_no_harm():
    cells = parse_notebook(
        notebook(code("1", metadata=[]), code("2", metadata={"nbgrader": 3}), code("3", id=7)), "x"
    )
    assert [(cell.id, cell.grade_id) for cell in cells] == [(None, None)] * 3


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
        (b'{"n": ' + b"9" * 5_000 + b"}", "damaged"),
        (notebook(code("1")).decode().encode("utf-16"), "not UTF-8"),
        (notebook("a cell"), "cell that is none"),
        (notebook(code(3)), "cell without text"),
        (notebook(code([1])), "cell without text"),
        (notebook(*[code("")] * (MAX_CELLS + 1)), "more than"),
        (notebook(code("#" * (MAX_SOURCE + 1))), "more than"),
    ],
)
def test_what_is_no_notebook_is_said_in_a_sentence(data, reason):
    with pytest.raises(Unreadable, match=reason) as refusal:
        parse_notebook(data, "hw.ipynb")
    assert "`hw.ipynb`" in str(refusal.value) and str(refusal.value).endswith(".")


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_any_bytes_are_cells_or_unreadable(data):
    with contextlib.suppress(Unreadable):
        assert isinstance(parse_notebook(data, "x"), list)


json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["cells", "source", "metadata", "nbgrader", "id"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(json_value, max_size=3))
def test_any_json_is_cells_or_unreadable(cells):
    with contextlib.suppress(Unreadable):
        assert len(parse_notebook(json.dumps({"cells": cells}).encode(), "x")) == len(cells)


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "secret.ipynb").write_bytes(notebook(code("1")))
    (tmp_path / "hw.ipynb").symlink_to("secret.ipynb")
    with pytest.raises(Unreadable, match="no regular file"):
        read_notebook(tmp_path / "hw.ipynb")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "hw.ipynb")
    with pytest.raises(Unreadable, match="no regular file"):
        read_notebook(tmp_path / "hw.ipynb")


def test_a_huge_file_is_not_read(tmp_path):
    with (tmp_path / "hw.ipynb").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(Unreadable, match="clear its outputs"):
        read_notebook(tmp_path / "hw.ipynb")


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(Unreadable, match="cannot be opened"):
        read_notebook(tmp_path / "hw.ipynb")
