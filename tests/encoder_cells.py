"""A notebook in which an encoder is built, without Jupyter."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from autograder.authoring.toolbox_file import toolbox_module

MODEL = "imports feed_forward attention multi_head_attention encoder_layer encoder".split()


@contextlib.contextmanager
def notebook_of(cells: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """A notebook in which an encoder is built."""
    space: dict[str, Any] = {"__name__": "__main__"}
    for id in MODEL:
        exec(compile(cells[id], f"<{id}>", "exec"), space)
    with toolbox_module().notebook_is(space):
        yield space
