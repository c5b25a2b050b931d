"""What is left of a large notebook is all of it but the outputs, wherever the pieces are cut."""

import contextlib
import json
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.engine import notebook, without_outputs
from autograder.engine.json_parts import Damaged
from autograder.engine.notebook import MAX_BYTES, Unreadable, parse_notebook, read_notebook
from autograder.engine.without_outputs import TooLong
from autograder.engine.without_outputs import without_outputs as slimmed

MOST = 1 << 20
texts = st.text(st.sampled_from('ab"\\[]{},:\n\u2028é\U0001f600'), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(["source", "outputs", "cells", "metadata", "output"])
cells = st.dictionaries(names, values, max_size=4) | values
notebooks = st.fixed_dictionaries(
    {},
    optional={"cells": st.lists(cells, max_size=4) | values, "metadata": values, "outputs": values},
)


def expected(content: dict) -> dict:
    """The same by another way."""
    listed = content.get("cells")
    if isinstance(listed, list):
        listed = [
            cell | {"outputs": []} if isinstance(cell, dict) and "outputs" in cell else cell
            for cell in listed
        ]
    return {name: listed if name == "cells" else None for name in content}


def cut(data: bytes, length: int) -> list[bytes]:
    return [data[start : start + length] for start in range(0, len(data), length)]


@given(notebooks, st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
@example({"cells": [{"outputs": ['\\"[', {"a": "]\\"}]}]}, 1, None, True)
def test_only_outputs_are_left_out(content, length, indent, as_ascii):
    data = json.dumps(content, indent=indent, ensure_ascii=as_ascii).encode()
    assert json.loads(slimmed(cut(data, length), MOST)) == expected(content)


@given(st.binary(max_size=60) | texts.map(str.encode), st.integers(1, 9))
@example(b'{"a": [}', 2)
@example(b'{"cells": [{"outputs": "', 3)
@example(b'{"cells": [] \\', 3)
def test_any_bytes_are_scanned_to_their_end_or_damaged(data, length):
    with contextlib.suppress(Damaged):
        slimmed(cut(data, length), MOST)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b'{"a"', b'{"a" 1}', b'{"a": [1', b'{"a": "x', b"{} {}", b'{"a": ]}', b"{1:2}"],
)
def test_what_ends_too_early_or_goes_on_is_damaged(data):
    with pytest.raises(Damaged):
        slimmed([data], MOST)


def test_a_name_that_stands_twice_still_does():
    data = b'{"cells": [], "c\\u0065lls": [], "cells": []}'
    assert json.loads(slimmed([data], MOST), object_pairs_hook=list) == [
        ("cells", []),
        ("cells", None),
        ("cells", []),
    ]
    twice = b'{"cells": [{"cell_type": "raw", "outputs": [1], "outputs": [2]}]}'
    with pytest.raises(Unreadable, match="stands twice"):
        parse_notebook(slimmed([twice], MOST), "x")


def test_what_is_kept_has_a_cap():
    cell = {"cell_type": "raw", "source": "x" * 100, "outputs": ["y" * 1000]}
    data = json.dumps({"cells": [cell]}).encode()
    assert len(slimmed(cut(data, 7), 200)) < 200
    with pytest.raises(TooLong):
        slimmed(cut(data, 7), 99)


def test_brackets_are_looked_at_up_to_a_cap(monkeypatch):
    monkeypatch.setattr(without_outputs, "MOST_BRACKETS", 50)
    with pytest.raises(Damaged, match="too many small parts"):
        slimmed([b'{"x": ' + b"[" * 60 + b"]" * 60 + b"}"], MOST)
    assert slimmed([b'{"x": [' + b"[[[[]]]]," * 100 + b"0]}"], MOST) == b'{"x":null}'


@pytest.mark.parametrize("data", ['{"cells": [{}%s]}', '{"a": 1%s}', '{"cells": [{"a": 1%s}]}'])
def test_cells_and_names_are_read_up_to_a_cap(monkeypatch, data):
    """Each is small, and what is kept of it less than all may have."""
    monkeypatch.setattr(without_outputs, "MOST_MEMBERS", 50)
    more = ", {}" if "[{}" in data else ', "a": 1'
    slimmed([(data % (more * 40)).encode()], MOST)
    with pytest.raises(Damaged, match="too many small parts"):
        slimmed([(data % (more * 60)).encode()], MOST)


LARGE = 33 << 20
PICTURE = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" * 100_000}}
ONE_CELL = b'{"cells":[{"cell_type":"code","source":"x = 1","outputs":[%b]}],"metadata":{}}'


def large(part: bytes) -> bytes:
    return ONE_CELL % (part * (LARGE // len(part)) + b"0")


@pytest.mark.parametrize(
    "part", [json.dumps(PICTURE).encode() + b",", b'"Epoch 1: 3.2\\n",', b"[],"]
)
def test_a_notebook_that_is_large_by_its_outputs_takes_the_memory_of_the_rest(tmp_path, part):
    path = tmp_path / "hw.ipynb"
    path.write_bytes(large(part))
    assert path.stat().st_size > MAX_BYTES
    tracemalloc.start()
    (cell,) = read_notebook(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cell.source == "x = 1" and peak < 8 << 20


def test_the_same_is_read_of_bytes_as_of_a_file():
    assert [cell.source for cell in parse_notebook(large(b"[[]],"), "x")] == ["x = 1"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            large(b"[],").replace(b"x = 1", b"x" * (MAX_BYTES + 1)),
            "besides the outputs of its cells",
        ),
        (large(b'"",')[:-20], "ends too early"),
        (large(b'"",').replace(b'"cells"', b'"sheets"'), "no notebook with cells"),
        (b"<html>" + b" " * LARGE, "is a web page"),
        (b"PK\x03\x04" + b" " * LARGE, "is a zip archive"),
        (b" " * LARGE, "damaged"),
    ],
    ids=["a long cell", "cut off", "no cells", "a web page", "a zip", "nothing"],
)
def test_what_is_large_and_no_notebook_is_said_in_a_sentence(tmp_path, data, reason):
    (tmp_path / "hw.ipynb").write_bytes(data)
    for read in (
        lambda: read_notebook(tmp_path / "hw.ipynb"),
        lambda: parse_notebook(data, "hw.ipynb"),
    ):
        with pytest.raises(Unreadable, match=reason) as refusal:
            read()
        assert "`hw.ipynb`" in str(refusal.value) and str(refusal.value).endswith(".")


def test_with_its_outputs_it_has_a_cap_too(tmp_path, monkeypatch):
    data = large(b"[],")
    monkeypatch.setattr(notebook, "MAX_WITH_OUTPUTS", len(data) - 1)
    (tmp_path / "hw.ipynb").write_bytes(data)
    for read in (
        lambda: read_notebook(tmp_path / "hw.ipynb"),
        lambda: parse_notebook(data, "hw.ipynb"),
    ):
        with pytest.raises(Unreadable, match="clear its outputs"):
            read()
