"""Check the names of new assignments and exercises; the error messages say which names are allowed."""

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
    """Raise `AutograderError` if an assignment cannot have this id: because of its characters or its
    length, or because the package of its graders would have the name of a module or a word of
    Python.
    """
    if not ASSIGNMENT.fullmatch(id):
        raise AutograderError(
            f"`{id}` is no name for an assignment: small letters, digits and dashes, a letter first."
        )
    _refuse_length(id)
    package = id.replace("-", "_")  # under which its graders are imported
    if keyword.iskeyword(package) or package == "conftest" or _is_importable(package):
        raise AutograderError(f"`{package}` is a name of Python's: name the assignment otherwise.")


def refuse_exercise(id: str, name: str) -> None:
    """Raise `AutograderError` if an exercise cannot have this id, or the class, function or variable
    that students define cannot have this name.
    """
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
    """Return the name of the class, function or variable that students define in an exercise, made
    from the exercise's id. `kind`: one of `skeleton.KINDS`.
    """
    return "".join(word.capitalize() for word in id.split("_")) if kind == "module" else id


def _refuse_word(name: str) -> None:
    """Raise `AutograderError` if the name is a word of Python, is used by the notebook already, or is
    too long.
    """
    if keyword.iskeyword(name):
        raise AutograderError(f"`{name}` is a word of Python: choose another name.")
    if name in RESERVED:
        raise AutograderError(
            f"`{name}` is reserved, for the notebook uses it already: choose another name."
        )
    _refuse_length(name)


def _refuse_length(name: str) -> None:
    """Raise `AutograderError` if the name is too long."""
    if len(name) > LONGEST:
        raise AutograderError(
            f"`{name}` has more than {LONGEST} characters: choose a shorter name."
        )


def _is_importable(name: str) -> bool:
    """Whether `import` with this name finds a module or a package with a file; a plain folder does
    not count.
    """
    found = (finder.find_spec(name, None) for finder in sys.meta_path)
    return name in sys.stdlib_module_names or any(spec and spec.origin for spec in found)


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
