"""Machines are unlike this one in the way that their names say; PyPI's build of torch is tried."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.machines import machines

pytestmark = pytest.mark.slow

LOOK = """\
demo: .venv/.made
	@echo "folder=$(CURDIR)" "user=$$(id -u)" "umask=$$(umask)" "processors=$$(nproc)"
	@echo "home=$${HOME-none}" "lang=$$LANG" "git=$$(ls -d .git)" "wheels=$${PIP_FIND_LINKS-none}"
	@touch written
test:
	@echo "A test is red."; exit 1
.venv/.made: pyproject.toml
	@mkdir .venv && touch .venv/.made
"""
ASK_KERNEL = """\
import ctypes, errno, subprocess

libc = ctypes.CDLL(None, use_errno=True)
version = libc.syscall(444, None, 0, 1)  # landlock_create_ruleset
print("landlock=" + (errno.errorcode[ctypes.get_errno()] if version < 0 else "there"))
made = subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode == 0
print("namespace=" + ("made" if made else "refused"))
print("capabilities=" + open("/proc/self/status").read().split("CapEff:")[1].split()[0])
"""
DOCKER = "00000000a80425fb"  # CapEff of root in a container that Docker starts


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A project whose `make demo` prints what the machine is like, and whose `make test` fails."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "Makefile").write_text(LOOK)
    (folder / "ask_kernel.py").write_text(ASK_KERNEL)
    (folder / "pyproject.toml").touch()
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "all"]):
        subprocess.run([*git, *words], check=True)
    return folder


@pytest.fixture(scope="module")
def played(checkout):
    """Play machines of that project; return the statuses and what `make demo` printed."""
    folder = Path(tempfile.mkdtemp(prefix="played-"))
    folder.chmod(0o755)  # other users share its environment; pytest's folders are closed to them
    yield player(machines.Trial(checkout, (), folder, folder))
    shutil.rmtree(folder)


def player(trial):
    """Return a function that plays a machine, with some of its fields changed."""

    def play(name: str, *commands: str, **changes: bool) -> tuple[list[str], dict[str, str]]:
        (machine,) = (replace(each, **changes) for each in machines.MACHINES if each.name == name)
        words = [shlex.split(command) for command in commands]
        statuses = [result.status for result in trial.try_machine(machine, words)]
        log = trial.logs / f"{name}.log"
        printed = log.read_text() if log.exists() else ""  # none of a machine that is skipped
        print(printed)  # pytest shows it if the test fails
        return statuses, dict(re.findall(r"(\w+)=(.*?)(?= \w+=|$)", printed, re.M))

    return play


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("no-git", {"git": ""}),
        ("lang-c", {"lang": "C"}),
        ("umask-077", {"umask": "0077"}),
        ("no-home", {"home": "none"}),
        ("one-processor", {"processors": "1"}),
    ],
)
def test_a_machine_is_what_its_name_says(played, name, seen):
    statuses, printed = played(name, "make demo")
    assert set(statuses) == {machines.OK}
    assert seen.items() <= printed.items()


def test_a_path_may_be_odd(played):
    _, printed = played("odd-path", "make demo")
    assert " " in printed["folder"] and not printed["folder"].isascii()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts processes of other users")
@pytest.mark.parametrize("name", ["ordinary-user", "user-without-name"])
def test_another_user_owns_the_clone(played, name):
    statuses, printed = played(name, "make demo")
    if statuses[0].startswith("skipped"):
        pytest.skip(statuses[0].removeprefix("skipped: "))
    assert set(statuses) == {machines.OK} and printed["user"] != "0"
    assert (printed["home"] == "none") is (name == "user-without-name")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a host without namespaces")
@pytest.mark.parametrize(
    ("name", "capabilities"),
    [("no-namespaces", "0" * 16), ("plain-container", DOCKER), ("no-sandbox", "0" * 16)],
)
def test_a_host_forbids_what_sandboxes_are_made_of(played, name, capabilities):
    statuses, printed = played(name, "make demo", "python3 ask_kernel.py")
    if statuses[0].startswith("skipped"):
        pytest.skip(statuses[0].removeprefix("skipped: "))
    assert set(statuses) == {machines.OK}
    assert (printed["user"] == "0") is (name == "plain-container")
    assert printed["namespace"] == "refused" and printed["capabilities"] == capabilities
    _, here = played("no-git", "python3 ask_kernel.py")
    assert printed["landlock"] == ("ENOSYS" if name == "no-sandbox" else here["landlock"])


def test_a_host_that_cannot_be_made_is_skipped_with_the_reason(checkout, capfd, monkeypatch):
    monkeypatch.setattr(machines.os, "geteuid", lambda: 0)
    monkeypatch.setattr(machines, "HOST", checkout / "host.py")
    reason = "no user namespace can be made here (Operation not permitted)"
    (checkout / "host.py").write_text(f"raise SystemExit({reason!r})")
    assert machines.main(["plain-container"], checkout) == 0
    assert f"skipped: {reason}" in capfd.readouterr().out


def test_memory_is_limited_or_the_table_says_why_not(played):
    (*_, last), _ = played("two-gigabytes", "make demo")
    assert last == machines.OK or last.startswith("skipped: no cgroup can limit memory here")


def test_what_fails_is_shown_and_kept(checkout, capfd):
    assert machines.main(["--test", "lang-c", "no-git"], checkout) == 1
    printed = capfd.readouterr().out
    assert printed.count("A test is red.") == 2 and "failed: status 2" in printed
    logs = [Path(log) for log in re.findall(r"The whole output is in (.+)\.$", printed, re.M)]
    assert [log.name for log in logs] == ["no-git.log", "lang-c.log"]
    assert all("$ make test" in log.read_text() for log in logs)
    shutil.rmtree(logs[0].parent)


def test_a_version_of_python_that_is_not_here_is_skipped(checkout, capfd, monkeypatch):
    absent = machines.Machine("python3.9", python="3.9")
    monkeypatch.setattr(machines, "MACHINES", (absent,))
    monkeypatch.setattr(machines.shutil, "which", lambda *_, **__: None)
    assert machines.main(["all"], checkout) == 0
    assert "skipped: no Python 3.9 with ensurepip" in capfd.readouterr().out


COUNT = """\
from nbgrader.api import Gradebook

with Gradebook("sqlite:///demo/gradebook.db") as gradebook:
    print("submissions=" + ",".join(str(each.num_submissions) for each in gradebook.assignments))
"""


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a host without namespaces")
def test_the_demo_fills_a_gradebook_with_pypis_torch_where_nobody_can_make_a_namespace():
    """Fresh clones of an ordinary user, and of root in a container; PyPI's build of torch, which has
    CUDA on x86-64 Linux.
    """
    system = shutil.which("python3", path=os.defpath)  # every user can run it: one environment
    with tempfile.TemporaryDirectory(prefix="demos-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        pythons = [system] if system else []
        play = player(machines.Trial(machines.CHECKOUT, pythons, folder, folder))
        for machine in ("no-namespaces", "plain-container"):
            commands = "make demo", f".venv/bin/python -c {shlex.quote(COUNT)}"
            statuses, printed = play(machine, *commands, pypi=True)
            if statuses[0].startswith("skipped"):
                pytest.skip(statuses[0].removeprefix("skipped: "))
            assert set(statuses) == {machines.OK}, machine
            counts = printed["submissions"].split(",")
            assert counts and all(map(int, counts)), machine
