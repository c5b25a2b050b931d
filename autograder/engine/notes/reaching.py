"""Code that reaches beyond its exercise: frames, modules, files, processes, code made at run time.

The walls hold whatever it does; a person may want to know that somebody tried.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from autograder.engine.notes.code import BuiltName, Code, Statement, read_code
from autograder.engine.submission import Cell

# A path and everything below it, but for what honest code does
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
DESCRIBING = frozenset(  # what nn.Module says about itself, and nobody needs to say instead
    """
    parameters named_parameters buffers named_buffers modules named_modules children named_children
    state_dict get_submodule get_parameter _named_members __getattribute__
    """.split()
)
SET = frozenset({"__class__", "__bases__", "__code__"})  # what only a trick assigns
FOLDERS = ("/proc", "/etc/", "/sys/", "/dev/", "/root", "/home/")
PATCHED = ("torch", "builtins", "__builtins__", "sys")  # whose attributes nobody needs to set
SETTINGS = ("torch.backends", "sys.ps1", "sys.ps2")
TELLING = (
    ast.Attribute, ast.FunctionDef, ast.ClassDef, ast.Call, ast.Constant, ast.ImportFrom
)  # fmt: skip
AT_RUN_TIME = "a name built at run time"


def reaches(code: Code, cell: str, released: str) -> dict[str, list[int]]:
    """Return what a cell reaches for, with the lines; what is in its release as well is left out."""
    found = defaultdict[str, set[int]](set)
    for statement in code.cells[cell]:
        for what, line in _reaches(code, statement):
            found[what].add(line)
    return {w: sorted(lines) for w, lines in found.items() if w not in _released(released)}


@lru_cache
def _released(source: str) -> frozenset[str]:
    """What a cell reaches for as students got it."""
    code = read_code([Cell("", "code", source)])
    found = (_reaches(code, statement) for statement in code.cells.get("", ()))
    return frozenset(what for one in found for what, _ in one)


def _reaches(code: Code, statement: Statement) -> Iterator[tuple[str, int]]:
    silent = set(_silent(statement))
    for node, path in code.references(statement):
        if node in silent:
            continue
        if isinstance(path, BuiltName):
            yield AT_RUN_TIME, node.lineno  # type: ignore[attr-defined]
        else:
            yield from ((what, node.lineno) for what in _reach(path))  # type: ignore[attr-defined]
    for node in statement.nodes:
        if type(node) in TELLING:
            yield from ((what, getattr(node, "lineno", 0)) for what in _of_node(code, node))


def _of_node(code: Code, node: ast.AST) -> Iterator[str]:
    """Yield what a node reaches for by what it is, and not by a path."""
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
            if name in SET | DESCRIBING:
                yield f"{name} ="
            yield from _set(code, owner, name)
        case ast.Attribute(attr=name) if name in ATTRIBUTES:
            yield name
        case ast.FunctionDef(name=name) if name in ATTRIBUTES | DESCRIBING:
            yield name
        case ast.ClassDef(body=body):
            methods = {getattr(one, "name", "") for one in body}
            if methods >= {"forward", "__call__"}:
                yield "__call__"
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, name, *_]):
            for text in code.texts_of(name) or {None}:
                if text in DESCRIBING:
                    yield f"{text} ="
                yield from _set(code, owner, text)
        case ast.Constant(value=str(text)) if text.startswith(FOLDERS):
            yield next(folder for folder in FOLDERS if text.startswith(folder))
        case ast.ImportFrom(module=str(module), names=aliases):
            for alias in aliases:
                yield from _reach(f"{module}.{alias.name}")


def _silent(statement: Statement) -> Iterator[ast.AST]:
    """Yield what says nothing by itself: `os` in `os.path`, `os.environ` in `os.environ[x] = y`."""
    for node in statement.nodes:
        match node:
            case ast.Attribute(value=owner):
                yield owner
            case ast.Subscript(value=ast.Attribute(attr="environ") as owner, ctx=ast.Store()):
                yield owner


def _reach(path: str) -> Iterator[str]:
    """Yield the path, at most two words of it, if it is one of those."""
    words = path.split(".")
    starts = [".".join(words[:count]) for count in range(1, len(words) + 1)]
    if REACHES.intersection(starts) and not HARMLESS.intersection(starts):
        known = next(start for start in starts if start in REACHES)
        yield known if "." in known or len(words) == 1 else ".".join(words[:2])


def _set(code: Code, owner: ast.expr, name: str | None) -> Iterator[str]:
    """Yield what is replaced where an attribute of this owner is set."""
    for path in code.resolved(owner):
        if not isinstance(path, str) or path.partition(".")[0] not in PATCHED:
            continue
        if not f"{path}.{name}".startswith(SETTINGS):
            yield f"{path}.{name} =" if name else AT_RUN_TIME
