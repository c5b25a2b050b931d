"""Check the names of new assignments and exercises."""

import ast
import keyword
import re
import sys
from collections.abc import Iterator

from autograder.engine import AutograderError

ASSIGNMENT = re.compile(r"[a-z][a-z0-9-]*")
EXERCISE = re.compile(r"[a-z][a-z0-9_]*")
LONGEST = 40  # characters of a name, so that no line of a skeleton is too long
RESERVED = (
    "together torch tensor Tensor nn super int float isinstance len toolbox set_up".split()
)  # used already


def refuse_assignment_name(id: str) -> None:
    """Raise `AutograderError` if an assignment cannot have this id.

    The reasons are its characters, its length, or a package of graders with the name of a module or
    of a Python keyword.
    """
    if not ASSIGNMENT.fullmatch(id):
        raise AutograderError(
            f"`{id}` is no name for an assignment: small letters, digits and dashes, a letter first."
        )
    _refuse_length(id)
    package = id.replace("-", "_")  # its graders are imported under this name
    if keyword.iskeyword(package) or package == "conftest" or _is_importable(package):
        raise AutograderError(f"`{package}` is a name of Python's: name the assignment otherwise.")


def refuse_exercise(id: str, name: str) -> None:
    """Raise `AutograderError` if an exercise cannot have this id, or students' code this name."""
    if not EXERCISE.fullmatch(id):
        raise AutograderError(
            f"`{id}` is no name for an exercise: small letters, digits and underscores, a letter "
            "first."
        )
    _refuse_word(id)
    if not name.isidentifier():
        raise AutograderError(f"`{name}` is no name in Python: letters, digits and underscores.")
    _refuse_word(name)


def default_name(id: str, kind: str) -> str:
    """Make the name that students define in an exercise from the exercise's id.

    `kind`: from `skeleton.KINDS`.
    """
    return "".join(word.capitalize() for word in id.split("_")) if kind == "module" else id


def _refuse_word(name: str) -> None:
    if keyword.iskeyword(name):
        raise AutograderError(f"`{name}` is a word of Python: choose another name.")
    if name in RESERVED:
        raise AutograderError(
            f"`{name}` is reserved, for the notebook uses it already: choose another name."
        )
    _refuse_length(name)


def _refuse_length(name: str) -> None:
    if len(name) > LONGEST:
        raise AutograderError(
            f"`{name}` has more than {LONGEST} characters: choose a shorter name."
        )


def _is_importable(name: str) -> bool:
    """Whether `import` finds a module or a package with a file. A plain folder does not count."""
    specs = (finder.find_spec(name, None) for finder in sys.meta_path)
    return name in sys.stdlib_module_names or any(spec and spec.origin for spec in specs)


def defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a parsed module defines or imports at its top level."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name for alias in names)
