"""The notebook's own names: what a student has defined, at the moment at which it is asked for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_spaces: list[dict[str, Any]] = []  # the last one stands for the notebook, in a test or a program


def names() -> dict[str, Any]:
    """Return what the notebook defines now, by name; to change it is to change the notebook's."""
    return _spaces[-1] if _spaces else vars(sys.modules["__main__"])


class Student:
    """The notebook's own classes, functions and values, as attributes: `student.Attention`."""

    def __getattr__(self, name: str) -> Any:
        """Raises `NameError`, as the name itself would in a cell."""
        if name not in names():
            raise NameError(f"name '{name}' is not defined", name=name)
        return names()[name]


student = Student()


@contextmanager
def notebook_is(space: dict[str, Any]) -> Iterator[None]:
    """Take these names for the notebook's, for a moment."""
    _spaces.append(space)
    try:
        yield
    finally:
        _spaces.pop()


@contextmanager
def replaced(**parts: object) -> Iterator[None]:
    """Let other classes or functions stand for the notebook's own, for a moment."""
    space = names()
    before = {name: space[name] for name in parts if name in space}
    space.update(parts)
    try:
        yield
    finally:
        for name in parts:
            space.pop(name, None)
        space.update(before)
