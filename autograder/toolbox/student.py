"""The notebook's namespace: what the student has defined at the moment of asking."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_spaces: list[dict[str, Any]] = []  # the last one stands for the notebook, in a test or a program


def names() -> dict[str, Any]:
    """Return the notebook's namespace itself, not a copy."""
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
    """Use this dictionary as the notebook's namespace inside the block."""
    _spaces.append(space)
    try:
        yield
    finally:
        _spaces.pop()


@contextmanager
def replaced(**parts: object) -> Iterator[None]:
    """Replace classes or functions of the notebook inside the block."""
    space = names()
    before = {name: space[name] for name in parts if name in space}
    space.update(parts)
    try:
        yield
    finally:
        for name in parts:
            space.pop(name, None)
        space.update(before)
