"""Find code that accesses something beyond its exercise: frames, modules, files, processes, code
made at run time.

The sandbox stops such code. Staff may still want to know that somebody tried.
"""

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from autograder.engine.notebooks.submission import Cell
from autograder.engine.notes.code import Statement, read_cells

# Each path includes everything below it, except for HARMLESS
REACHES = frozenset(
    """
    sys._getframe sys._current_frames sys.settrace sys.setprofile sys.modules sys.meta_path
    sys.path_hooks sys.addaudithook inspect importlib __import__ __main__ __builtins__ builtins
    globals exec eval compile marshal pickle types.CodeType types.FunctionType codeop
    open io.open io.FileIO io.open_code pathlib shutil glob tempfile fileinput mmap sqlite3 zipfile
    tarfile linecache os posix nt fcntl subprocess multiprocessing concurrent pty signal atexit
    threading _thread resource socket ssl http urllib requests ctypes cffi gc faulthandler
    torch._C torch.ops torch._ops torch._refs torch._decomp torch.library torch.overrides torch.jit
    torch.utils.cpp_extension torch.utils._python_dispatch
    """.split()
)
HARMLESS = frozenset(
    """
    os.path os.getcwd os.cpu_count os.sep os.linesep os.urandom os.environ.setdefault
    gc.collect gc.enable gc.disable threading.current_thread
    inspect.signature inspect.getdoc inspect.isclass inspect.isfunction inspect.ismodule
    urllib.parse pathlib.PurePath
    """.split()
)
ATTRIBUTES = frozenset(
    """
    f_back f_globals f_locals f_builtins tb_frame gi_frame cr_frame ag_frame __globals__ __code__
    __closure__ __subclasses__ __builtins__ __torch_function__ __torch_dispatch__
    input_transformers_post input_transformers_cleanup ast_transformers user_ns user_global_ns
    register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_full_backward_pre_hook register_backward_hook register_module_forward_hook
    register_module_forward_pre_hook register_module_full_backward_hook
    """.split()
)
DESCRIBING = frozenset(  # methods in which nn.Module describes itself: no answer overrides them
    """
    parameters named_parameters buffers named_buffers modules named_modules children named_children
    state_dict get_submodule get_parameter _named_members __getattribute__
    """.split()
)
SET = frozenset({"__class__", "__bases__", "__code__"})  # attributes that only a trick assigns
FOLDERS = ("/proc", "/etc/", "/sys/", "/dev/", "/root", "/home/")
PATCHED = ("torch", "builtins", "__builtins__", "sys")  # no answer sets their attributes
SETTINGS = ("torch.backends", "sys.ps1", "sys.ps2")
AT_RUN_TIME = "a name built at run time"
OF_PYTHON = frozenset(dir(builtins)) | {"__builtins__"}
MAX_DEPTH = 12  # of `a.b.c`


@dataclass(frozen=True)
class Bindings:
    """The meaning of the names in a submission's cells.

    Scopes are not distinguished, and an assignment from one name to another is not followed.
    """

    imported: dict[str, str]  # dotted path by name (`np`: `numpy`, `p`: `os.path`)
    bound: set[str]  # without an import

    @classmethod
    def of(cls, statements: Iterable[Statement]) -> "Bindings":
        """Return the bindings that these statements make."""
        names = cls({}, set())
        for node in (node for statement in statements for node in statement.nodes):
            match node:
                case ast.Import(names=aliases):
                    for alias in aliases:
                        top = _top(alias.name)
                        names.imported[alias.asname or top] = alias.name if alias.asname else top
                case ast.ImportFrom(module=str(module), names=aliases):
                    for alias in aliases:
                        names.imported[alias.asname or alias.name] = f"{module}.{alias.name}"
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    names.bound.add(name)
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                    names.bound.add(name)
        return names

    def path(self, node: ast.AST, depth: int = 0) -> str | None:
        """Return the dotted path in a library, or the built-in name, that an expression refers to.

        `depth`: the number of attributes around it; beyond MAX_DEPTH, the result is None.
        """
        if depth > MAX_DEPTH:
            return None
        match node:
            case ast.Name(id=name):
                of_python = name in OF_PYTHON and name not in self.bound
                return self.imported.get(name, name if of_python else None)
            case ast.Attribute(value=owner, attr=name):
                return self._member(owner, name, depth)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]):
                return self._member(owner, _text(name), depth)
        return None

    def _member(self, owner: ast.AST, name: str, depth: int) -> str | None:
        path = self.path(owner, depth + 1)
        return path and f"{path}.{name}"


def _top(path: str) -> str:
    return path.partition(".")[0]


def _text(name: ast.AST) -> str:
    """Return the string that the expression `name` holds, or AT_RUN_TIME if it is not a literal."""
    match name:
        case ast.Constant(value=str(text)):
            return text
    return AT_RUN_TIME


def reaches(
    names: Bindings, statements: Iterable[Statement], released: str
) -> dict[str, list[int]]:
    """Return the accesses of a cell beyond its exercise, as line numbers by path.

    `released`: the source of the cell in the release; its accesses are left out.
    """
    lines_by_path = defaultdict[str, set[int]](set)
    for statement in statements:
        for path, line in _reaches(names, statement):
            lines_by_path[path].add(line)
    return {
        path: sorted(lines)
        for path, lines in lines_by_path.items()
        if path not in _released(released)
    }


@lru_cache
def _released(source: str) -> frozenset[str]:
    statements = read_cells([Cell("", "code", source)]).get("", ())
    names = Bindings.of(statements)
    return frozenset(path for statement in statements for path, _ in _reaches(names, statement))


def _reaches(names: Bindings, statement: Statement) -> Iterator[tuple[str, int]]:
    silent = set(_silent(statement))
    for node in statement.nodes:
        line = getattr(node, "lineno", 0)
        is_read = isinstance(getattr(node, "ctx", None), ast.Load) or isinstance(node, ast.Call)
        if is_read and node not in silent:
            yield from ((path, line) for path in _reach(names.path(node) or ""))
        yield from ((path, line) for path in _of_node(names, node))


def _of_node(names: Bindings, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
            yield from _set(names, owner, name)
        case ast.Attribute(attr=name) if name in ATTRIBUTES:
            yield name
        case ast.FunctionDef(name=name) if name in ATTRIBUTES | DESCRIBING:
            yield name
        case ast.ClassDef(body=body):
            if {getattr(member, "name", "") for member in body} >= {"forward", "__call__"}:
                yield "__call__"
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, name, *_]):
            yield from _set(names, owner, _text(name))
        case ast.Constant(value=str(text)) if text.startswith(FOLDERS):
            yield next(folder for folder in FOLDERS if text.startswith(folder))
        case ast.ImportFrom(module=str(module), names=aliases):
            for alias in aliases:
                yield from _reach(f"{module}.{alias.name}")


def _silent(statement: Statement) -> Iterator[ast.AST]:
    """Yield the nodes that are not an access by themselves, such as `os` in `os.path`, or
    `os.environ` in `os.environ[x] = y`.
    """
    for node in statement.nodes:
        match node:
            case ast.Attribute(value=owner):
                yield owner
            case ast.Subscript(value=ast.Attribute(attr="environ") as owner, ctx=ast.Store()):
                yield owner


def _reach(path: str) -> Iterator[str]:
    """Yield `path`, shortened, if REACHES includes it and HARMLESS does not.

    Yield AT_RUN_TIME instead if the last name of the path is built at run time.
    """
    words = path.split(".")
    starts = [".".join(words[:count]) for count in range(1, len(words) + 1)]
    if words[-1] == AT_RUN_TIME:
        yield AT_RUN_TIME
    elif REACHES.intersection(starts) and not HARMLESS.intersection(starts):
        forbidden = next(start for start in starts if start in REACHES)
        yield forbidden if "." in forbidden or len(words) == 1 else ".".join(words[:2])


def _set(names: Bindings, owner: ast.expr, name: str) -> Iterator[str]:
    if name in SET | DESCRIBING:
        yield f"{name} ="
    path = names.path(owner) or ""
    if _top(path) in PATCHED and not f"{path}.{name}".startswith(SETTINGS):
        yield AT_RUN_TIME if name == AT_RUN_TIME else f"{path}.{name} ="
