"""The view of a candidate on the host: its mounts or Landlock's rules, and its environment.

Only this module knows the paths at which folders are mounted. Inside are the interpreter, the
libraries and the candidate's own code. No user's file and no environment variable of the host is
inside.
"""

import os
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path, PurePosixPath

from autograder.engine.limits.process import LARGE_PAGES, MEBIBYTE

PACKAGE = Path(__file__).parents[2]  # autograder/
CANDIDATE = "engine/candidate"  # below PACKAGE
APP = "/app"  # contains the candidate's code inside bubblewrap
SYSTEM = (Path("/usr"), Path("/usr/local"))  # prefixes that hold more than an interpreter
READ_DEVICES = ("/dev/full", "/dev/random", "/dev/urandom")
TELLING = (  # below the packages: files of this project, and files with paths of the host
    "*autograder*",
    "__editable__*",
    "__pycache__/__editable__*",
    "*.dist-info/direct_url.json",
    "*.egg-link",
    "*.pth",
)


def candidate_code() -> Iterator[tuple[Path, str]]:
    """Yield (path outside, path inside) for each file of the candidate's code."""
    for name in ("__init__.py", "engine/__init__.py"):
        yield PACKAGE / name, f"{APP}/autograder/{name}"
    for file in sorted((PACKAGE / CANDIDATE).glob("*.py")):
        yield file, f"{APP}/autograder/{CANDIDATE}/{file.name}"


def options(code: Iterable[tuple[int, str]]) -> list[str]:
    """Return bubblewrap's options for mounts: libraries, interpreter and packages read-only, a copy
    of the candidate's code, and small writable tmpfs.

    `code`: an open descriptor and the path inside for each file of `candidate_code`.
    """
    # mapping /dev/zero would make shared memory, which no limit counts
    words = ["--proc", "/proc", "--dev", "/dev", "--dev-bind", os.devnull, "/dev/zero"]
    inside = [f"{APP}/autograder/{CANDIDATE}/file", *(target for _, target in _libraries())]
    # bubblewrap alone would make some of these for root only
    for folder in sorted(
        {str(parent) for path in inside for parent in PurePosixPath(path).parents}
    ):
        words += ["--perms", "0755", "--dir", folder]
    for descriptor, target in code:  # a copy, since the candidate's user may not read root's files
        words += ["--perms", "0444", "--file", str(descriptor), target]
    for source, target in _libraries():
        words += ["--ro-bind", str(source), target]
    for source, target in _hidden():
        if source.is_dir():
            words += ["--tmpfs", target, "--remount-ro", target]
        else:
            words += ["--ro-bind", os.devnull, target]
    for folder in ("/dev/shm", "/tmp", "/workdir"):
        words += ["--perms", "1777", "--size", str(64 * MEBIBYTE), "--tmpfs", folder]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/workdir"]
    for name, value in environment().items():
        words += ["--setenv", name, value]
    return words


def _libraries() -> Iterator[tuple[Path, str]]:
    """Yield (path outside, path inside) of each visible file or folder."""
    for folder in ("/lib", "/lib64", "/usr/lib", "/usr/lib64"):
        if Path(folder).is_dir():
            yield Path(folder), folder
    prefix = Path(sys.base_prefix)
    inside = str(prefix) if prefix in SYSTEM else "/python"
    # not the whole prefix, which may be a user's home
    yield Path(sys.executable).resolve(), python()
    for name in ("lib", "lib64"):
        if prefix != Path("/usr") and (prefix / name).is_dir():
            yield prefix / name, f"{inside}/{name}"
    yield packages(), "/packages"


def shown(paths: Iterable[Path]) -> list[str]:
    """Return the paths at which these paths of the host would be visible inside."""
    return [
        str(PurePosixPath(target) / path.resolve().relative_to(source.resolve()))
        for path in paths
        for source, target in _libraries()
        if path.resolve().is_relative_to(source.resolve())
    ]


def python() -> str:
    """Return the path of the interpreter inside bubblewrap."""
    program = Path(sys.executable).resolve()
    prefix = Path(sys.base_prefix).resolve()
    if prefix in SYSTEM:
        return str(program)
    return f"/python/{program.relative_to(prefix)}"


def packages() -> Path:
    """Return the folder of the installed packages on this host."""
    return Path(sysconfig.get_path("purelib")).resolve()


def _hidden() -> Iterator[tuple[Path, str]]:
    """Yield (path outside, path inside) for each file or folder that is mounted with the packages
    and must be hidden: this project, and other packages.
    """
    folder = packages()
    prefix = Path(sys.base_prefix)
    inside = Path(sysconfig.get_path("purelib", vars={"base": sys.base_prefix}))
    if prefix not in SYSTEM and inside != folder and inside.is_dir():
        yield inside, f"/python/{inside.relative_to(prefix)}"
    targets = [  # paths inside at which the packages are visible
        PurePosixPath(target) / folder.relative_to(source.resolve())
        for source, target in _libraries()
        if folder.is_relative_to(source.resolve())
    ]
    telling = {file for pattern in TELLING for file in folder.glob(pattern)}
    for file in sorted(telling):
        if telling.isdisjoint(file.parents):
            yield from ((file, str(target / file.relative_to(folder))) for target in targets)


def landlock_rules() -> dict[str, list[str]]:
    """Return the paths of the host that a candidate may list (`listed`) and read (`readable`) behind
    Landlock: the same libraries, interpreter and packages.
    """
    # Landlock cannot hide a file below a readable folder, so such folders are split into their
    # entries. Their names can still be listed, because imports need that.
    sources = [source.resolve() for source, _ in _libraries()]
    hidden = {source.resolve() for source, _ in _hidden()}
    readable = chain(*(_without(source, hidden) for source in sources), map(Path, READ_DEVICES))
    return {
        "listed": [str(source) for source in sources if source.is_dir()],
        "readable": [*map(str, readable)],
    }


def _without(path: Path, hidden: Collection[Path]) -> Iterator[Path]:
    if path in hidden or path.is_symlink():  # a link may lead anywhere
        return
    if any(hidden_path.is_relative_to(path) for hidden_path in hidden):
        for inside in path.iterdir():
            yield from _without(inside, hidden)
    else:
        yield path


def covered(outside: bool = False) -> list[str]:
    """Return the paths of the hidden files and folders: inside, where an empty file or folder is
    mounted over each, or `outside`.
    """
    return [str(pair[0 if outside else 1]) for pair in _hidden()]


def environment(home: str = "/workdir", inside: bool = True) -> dict[str, str]:
    """Return the environment variables of a candidate.

    `home`: its home folder. `inside`: whether it runs inside bubblewrap.
    """
    return {
        "HOME": home,
        "USER": "candidate",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "IPYTHONDIR": "/tmp/ipython",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OMP_NUM_THREADS": "1",
        "LD_LIBRARY_PATH": "/python/lib" if inside else f"{sys.base_prefix}/lib",
        **LARGE_PAGES,
    }
