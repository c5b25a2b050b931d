"""Try the README's two commands as other people run them: fresh clones on unlike machines.

    python -m tests.machines.machines [--test] [--python PATH] [--venv-cache FOLDER] NAME ...

NAME: a machine of the table below, or `all`. Each gets a temporary clone of the last commit and runs
`make demo` in it, with --test also `make test`. Exit status 1 if a command fails. A machine that
cannot be set up here is skipped, and the table says why.
"""

import argparse
import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

CHECKOUT = Path(__file__).parents[2]
HOST = Path(__file__).with_name("host.py")
USER = f"other-machine-{os.getpid()}"  # made by root for a run, as is the cgroup of that name
NUMBER = 12345  # of a user without a name
GIBIBYTE = 1 << 30
CGROUPS = Path("/sys/fs/cgroup")
MADE = ".venv/.made"
MADE_SECONDS, COMMAND_SECONDS = 3600, 7200
OK = "ok"
LAST_LINES = 40
LEFT_OUT = re.compile(r"PYTHON(?!IOENCODING)|PYTEST|VIRTUAL_ENV|MAKE|MFLAGS|XDG_|COVERAGE")
INDEXES = ("PIP_CONFIG_FILE", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "TORCH_INDEX")
ASK = "import ensurepip, sys; print(*sys.version_info[:2], sep='.')"
SMALL_PACKAGE = "einops"  # to see whether pip reaches a registry


class CannotSetUp(Exception):
    """This computer cannot play that machine. The message is a sentence for the table."""


@dataclass(frozen=True)
class Machine:
    """How a machine differs from the one that this runs on.

    `python`: the version. `pypi`: torch comes from PyPI, whatever pip's configuration is here. `installs`:
    the environment is installed in the clone, and not shared with other machines. `user`: "ordinary" or
    "nameless". `unset`, `variables`: changes to the environment's variables. `memory`: in bytes.
    `forbids`: "namespaces", or "namespaces and Landlock"; root has Docker's capabilities there.
    """

    name: str
    python: str = ""
    pypi: bool = False
    installs: bool = False
    user: str = ""
    folder: str = "clone"
    git: bool = True
    unset: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    umask: int = -1
    memory: int = 0
    processors: int = 0
    forbids: str = ""


MACHINES = (
    Machine("pypi-torch", pypi=True),
    Machine("python3.12", python="3.12", pypi=True),
    Machine("python3.13", python="3.13", pypi=True),
    Machine("ordinary-user", user="ordinary", installs=True),
    Machine("user-without-name", user="nameless", unset=("HOME", "USER", "LOGNAME")),
    Machine("odd-path", folder="Übung 3, größer", installs=True),
    Machine("no-git", git=False),
    Machine("lang-c", unset=("LC_ALL", "LC_CTYPE", "LANGUAGE"), variables={"LANG": "C"}),
    Machine("umask-077", umask=0o077, installs=True),
    Machine("no-home", unset=("HOME",)),
    Machine("two-gigabytes", memory=2 * GIBIBYTE),
    Machine("one-processor", processors=1),
    Machine("no-namespaces", user="ordinary", forbids="namespaces"),
    Machine("plain-container", forbids="namespaces"),
    Machine("no-sandbox", user="ordinary", forbids="namespaces and Landlock"),
)


@dataclass(frozen=True)
class Result:
    """The status of one command on a machine: `OK`, "failed: ...", or "skipped: ..."."""

    machine: str
    command: str
    status: str
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        return self.status.startswith("failed")


@dataclass(frozen=True)
class Account:
    """The user that a machine's commands run as. `arguments`: those of `subprocess.Popen`."""

    arguments: Mapping[str, object] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    def take(self, folder: Path) -> None:
        """Make the user the owner of a folder and all that is in it."""
        if self.arguments:
            owner = f"{self.arguments['user']}:{self.arguments['group']}"
            subprocess.run(["chown", "-R", owner, folder], check=True)


@contextmanager
def account(kind: str) -> Iterator[Account]:
    """Yield the user of that kind. An ordinary user is made for root, and removed again."""
    if not kind or (kind == "ordinary" and os.geteuid()):
        yield Account()
    elif os.geteuid():
        raise CannotSetUp("only root starts processes of another user number")
    elif kind == "nameless":
        yield Account({"user": NUMBER, "group": NUMBER, "extra_groups": []})
    else:
        if shutil.which("useradd") is None:
            raise CannotSetUp("`useradd` is not installed")
        subprocess.run(["useradd", "--create-home", USER], check=True)
        try:
            entry = pwd.getpwnam(USER)
            names = {"HOME": entry.pw_dir, "USER": USER, "LOGNAME": USER}
            yield Account({"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}, names)
        finally:
            # by force: a process that a failed command left behind would keep the user
            subprocess.run(["userdel", "--remove", "--force", USER], capture_output=True)


@contextmanager
def memory_group(limit: int) -> Iterator[list[str]]:
    """Make a cgroup with that much memory; yield the words before a command that runs in it."""
    first = CGROUPS / "memory"
    top, file = (first, "memory.limit_in_bytes") if first.is_dir() else (CGROUPS, "memory.max")
    group = top / USER
    try:
        if top == CGROUPS:
            (CGROUPS / "cgroup.subtree_control").write_text("+memory")
        group.mkdir()
        (group / file).write_text(str(limit))
    except OSError as error:
        with suppress(OSError):
            group.rmdir()
        raise CannotSetUp(f"no cgroup can limit memory here ({error.strerror})") from None
    try:
        yield ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)]
    finally:
        _remove_group(group)


def _remove_group(group: Path) -> None:
    """Remove a cgroup, and end any process that a command left in it."""
    for _ in range(100):
        with suppress(OSError):
            return group.rmdir()
        for number in (group / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(number), signal.SIGKILL)
        time.sleep(0.1)


def words_for_processors(count: int) -> list[str]:
    """Return the words before a command that runs on so many processors."""
    if shutil.which("taskset") is None:
        raise CannotSetUp("`taskset` is not installed")
    chosen = sorted(os.sched_getaffinity(0))[:count]
    return ["taskset", "--cpu-list", ",".join(map(str, chosen))]


def words_for_host(forbids: str, user: Account) -> list[str]:
    """Return the words before a command that a user runs on a host which forbids sandboxes."""
    words = [sys.executable, str(HOST)]
    if user.arguments:
        words += ["--user", str(user.arguments["user"])]
    if "Landlock" in forbids:
        words.append("--no-landlock")
    if os.geteuid():
        raise CannotSetUp("only root makes a host without namespaces")
    trial = subprocess.run([*words, "true"], capture_output=True, text=True, cwd="/")
    if trial.returncode:
        raise CannotSetUp(trial.stderr.strip())
    return words


class Run:
    """One machine while its commands run."""

    def __init__(
        self,
        machine: Machine,
        user: Account,
        folder: Path,
        log: Path,
        before: Sequence[str],
    ):
        self.machine, self.user, self.folder, self.log = machine, user, folder, log
        self.before = before  # words before each command: those of a host change the user, too
        self.arguments = {} if machine.forbids else user.arguments
        self.more: dict[str, str] = {}  # of the environment's variables

    def use(self, environment: Path) -> None:
        """Use the environment of another clone, with the code of this one."""
        (self.folder / ".venv").symlink_to(environment / ".venv")
        (environment / MADE).touch()  # or make would install again: pyproject.toml is new here
        self.more = {"PYTHONPATH": str(self.folder)}

    def environment(self) -> dict[str, str]:
        machine = self.machine
        own = {name: value for name, value in os.environ.items() if not LEFT_OUT.match(name)}
        own |= self.user.variables
        for name in (*machine.unset, *(INDEXES if machine.pypi else ())):
            own.pop(name, None)
        if machine.pypi:
            own["PIP_CONFIG_FILE"] = os.devnull
        return own | dict(machine.variables) | self.more

    def step(self, command: Sequence[str], seconds: float) -> Result:
        """Run a command and return how it ended."""
        begin = time.monotonic()
        try:
            status = self.call(command, seconds)
            outcome = f"failed: status {status}" if status else OK
        except subprocess.TimeoutExpired:
            outcome = f"failed: longer than {seconds:.0f} s"
        words = [word for word in command if not word.startswith("PYTHON=")]
        return Result(self.machine.name, shlex.join(words), outcome, time.monotonic() - begin)

    def call(self, command: Sequence[str], seconds: float) -> int:
        """Run a command in the clone, with its output in the log; return the exit status."""
        with self.log.open("a") as log:
            log.write(f"$ {shlex.join(command)}\n")
            log.flush()
            process = subprocess.Popen(
                [*self.before, *command],
                cwd=self.folder,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=self.machine.umask,
                **self.arguments,
            )
            try:
                return process.wait(seconds)
            finally:
                with suppress(ProcessLookupError):  # what is left of the session
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def find_python(self, paths: Sequence[str]) -> str:
        """Return the first interpreter of the machine's version that its user can run."""
        version = self.machine.python
        names = [*paths, os.path.realpath(sys.executable)]
        names += filter(None, [shutil.which(f"python{version or 3}")])
        names += filter(None, [shutil.which("python3", path=os.defpath)])
        for name in names:
            with suppress(OSError):
                answer = subprocess.run(
                    [*self.before, name, "-c", ASK],
                    capture_output=True,
                    text=True,
                    cwd="/",
                    **self.arguments,
                ).stdout.strip()
                if answer == version or (answer and not version and _is_new_enough(answer)):
                    return name
        wanted = version or "3.11 or newer"
        raise CannotSetUp(
            f"no Python {wanted} with ensurepip that the user can run; --python names one"
        )

    def check_registry(self, python: str) -> None:
        """Raise `CannotSetUp` if pip reaches no registry with the machine's configuration."""
        pip = [python, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--retries=1"]
        with tempfile.TemporaryDirectory() as folder:
            if self.call([*pip, f"--dest={folder}", SMALL_PACKAGE], 120):
                raise CannotSetUp("pip reaches no package registry")


def _is_new_enough(version: str) -> bool:
    return tuple(map(int, version.split("."))) >= (3, 11)


def make_clone(folder: Path, checkout: Path, machine: Machine) -> None:
    """Make a fresh clone of the checkout's last commit, for some machines without `.git`."""
    clone = ["git", "clone", "--quiet", "--no-hardlinks", str(checkout), str(folder)]
    done = subprocess.run(clone, umask=machine.umask, capture_output=True, text=True)
    if done.returncode:
        raise CannotSetUp(f"this checkout cannot be cloned ({done.stderr.strip()})")
    if not machine.git:
        shutil.rmtree(folder / ".git")


@dataclass(frozen=True)
class Trial:
    """What the machines of a run share. `pythons`: paths of interpreters to try before others.
    `cache`: the folder of environments. `logs`: the folder of each machine's output.
    """

    checkout: Path
    pythons: Sequence[str]
    cache: Path
    logs: Path

    def try_machine(self, machine: Machine, commands: Sequence[Sequence[str]]) -> Iterator[Result]:
        """Set a machine up, install if it needs that, and run the commands in it until one fails."""
        try:
            with ExitStack() as stack:
                run = self._set_up(machine, stack)
                python = run.find_python(self.pythons)
                if machine.pypi:
                    run.check_registry(python)
                if machine.installs:
                    yield (result := run.step(["make", MADE, f"PYTHON={python}"], MADE_SECONDS))
                    if result.status != OK:
                        return
                else:
                    environment = self._environment(machine, python)
                    if not (environment / MADE).exists():
                        yield (result := self._install(machine, python, environment))
                        if result.status != OK:
                            return
                    run.use(environment)
                for command in commands:
                    yield (result := run.step(command, COMMAND_SECONDS))
                    if result.status != OK:
                        return
        except CannotSetUp as reason:
            yield Result(machine.name, "", f"skipped: {reason}")

    def _set_up(self, machine: Machine, stack: ExitStack) -> Run:
        user = stack.enter_context(account(machine.user))
        before: list[str] = []
        if machine.memory:
            before += stack.enter_context(memory_group(machine.memory))
        if machine.processors:
            before += words_for_processors(machine.processors)
        if machine.forbids:
            before += words_for_host(machine.forbids, user)
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="machine-")))
        top.chmod(0o755)
        folder = top / machine.folder
        make_clone(folder, self.checkout, machine)
        user.take(folder)
        return Run(machine, user, folder, self.logs / f"{machine.name}.log", before)

    def _environment(self, machine: Machine, python: str) -> Path:
        """Return the folder of the clone whose environment this machine shares with others."""
        build = "pypi" if machine.pypi else "here"
        return self.cache / f"{python.strip(os.sep).replace(os.sep, '-')}-{build}"

    def _install(self, machine: Machine, python: str, environment: Path) -> Result:
        """Install an environment for this machine and others like it."""
        shutil.rmtree(environment, ignore_errors=True)
        plain = Machine(machine.name, pypi=machine.pypi)
        make_clone(environment, self.checkout, plain)
        run = Run(plain, Account(), environment, self.logs / f"{machine.name}.log", ())
        return run.step(["make", MADE, f"PYTHON={python}"], MADE_SECONDS)


def table(results: Sequence[Result]) -> Table:
    """The table that a person looks at."""
    rows = Table("machine", "command", "status", "seconds")
    for result in results:
        style = "" if result.status == OK else "bold red" if result.failed else "yellow"
        status = Text(result.status, style=style)
        rows.add_row(Text(result.machine), Text(result.command), status, f"{result.seconds:.0f}")
    return rows


def last_lines(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-LAST_LINES:])


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [machine.name for machine in MACHINES]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="+", metavar="NAME", choices=["all", *names], help=", ".join(names)
    )
    parser.add_argument("--test", action="store_true", help="run `make test`, too")
    parser.add_argument(
        "--pytest", metavar="ARGUMENTS", help="run pytest with these arguments, and nothing else"
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="an interpreter to use where its version fits",
    )
    parser.add_argument(
        "--venv-cache", type=Path, metavar="FOLDER", help="keep environments there for the next run"
    )
    return parser.parse_args(arguments)


def commands_for(machine: Machine, options: argparse.Namespace) -> list[list[str]]:
    """Return the commands to run. The demo grades as practice where no sandbox works; on a machine
    that has one, this must not hide that it does not work.
    """
    if options.pytest is not None:
        return [[".venv/bin/python", "-m", "pytest", *shlex.split(options.pytest)]]
    strict = [] if "Landlock" in machine.forbids else ["INVENTED="]
    return [["make", "demo", *strict], *([["make", "test"]] if options.test else [])]


def main(arguments: Sequence[str] | None = None, checkout: Path = CHECKOUT) -> int:
    options = parse(arguments)
    chosen = [machine for machine in MACHINES if {"all", machine.name} & set(options.names)]
    logs = Path(tempfile.mkdtemp(prefix="machines-logs-"))
    results: list[Result] = []
    console = Console(soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="machines-environments-") as folder:
        Path(folder).chmod(0o755)
        cache = (options.venv_cache or Path(folder)).absolute()
        cache.mkdir(exist_ok=True)
        trial = Trial(checkout, options.python, cache, logs)
        for machine in chosen:
            for result in trial.try_machine(machine, commands_for(machine, options)):
                results.append(result)
                console.print(f"{result.machine}: {result.command} {result.status}", markup=False)
                if result.failed:
                    log = logs / f"{machine.name}.log"
                    console.print(f"{last_lines(log)}\nThe whole output is in {log}.", markup=False)
    console.print(table(results))
    failed = any(result.failed for result in results)
    if not failed:
        shutil.rmtree(logs)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
