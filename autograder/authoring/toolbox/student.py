"""Look up the student's definitions in the notebook so far."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_spaces: list[dict[str, Any]] = []  # the last replaces the notebook's, in a test or a program


def names() -> dict[str, Any]:
    """Return the notebook's namespace: the dict itself, not a copy."""
    return _spaces[-1] if _spaces else vars(sys.modules["__main__"])


class Student:
    """Gives access to the notebook's definitions as attributes: `student.Attention`.

    Each access looks up the present definition.
    """

    def __getattr__(self, name: str) -> Any:
        """Return the notebook's object of this name. Raises `NameError`, as a cell would."""
        if name not in names():
            raise NameError(f"name '{name}' is not defined", name=name)
        return names()[name]


student = Student()


@contextmanager
def notebook_is(space: dict[str, Any]) -> Iterator[None]:
    """Within the block, use this dictionary as the notebook's namespace."""
    _spaces.append(space)
    try:
        yield
    finally:
        _spaces.pop()


@contextmanager
def replaced(**parts: object) -> Iterator[None]:
    """Within the block, put these objects (by name) in the place of the notebook's own.

    Afterwards the notebook has its own again.
    """
    space = names()
    originals = {name: space[name] for name in parts if name in space}
    space.update(parts)
    try:
        yield
    finally:
        for name in parts:
            space.pop(name, None)
        space.update(originals)
