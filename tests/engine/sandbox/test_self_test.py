"""The self-test before the first submission: each wall that is taken down is missed, by its name."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autograder.engine.process import Limits, SandboxError
from autograder.engine.sandbox import (
    Walls,
    bubblewrap,
    choose,
    choose_walls,
    seccomp,
)

pytestmark = pytest.mark.walls

HIDDEN = Path("/srv/all")  # a path that must not be there inside
ALL_OPEN = ("sched_setaffinity",)  # a filter that refuses next to nothing


@pytest.fixture
def edited(monkeypatch, tmp_path):
    """Replace a line of the candidate's side, in a copy that the walls are built from."""

    def edit(file: str, old: str, new: str) -> None:
        copy = tmp_path / "autograder"
        if not copy.exists():
            package = bubblewrap.PACKAGE
            shutil.copytree(package / "engine/candidate", copy / "engine/candidate")
            for name in ("__init__.py", "engine/__init__.py"):
                shutil.copy(package / name, copy / name)
            monkeypatch.setattr(bubblewrap, "PACKAGE", copy)
        path = copy / "engine/candidate" / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return edit


def without_a_network_of_its_own(edited, monkeypatch):
    edited("walls.py", " | kernel.NEW_NET", "")
    words = bubblewrap._namespaces
    monkeypatch.setattr(
        bubblewrap, "_namespaces", lambda **how: [w for w in words(**how) if "net" not in w]
    )
    monkeypatch.setattr(seccomp, "REFUSED", ALL_OPEN)


def with_a_folder_of_the_host(edited, monkeypatch):
    words = bubblewrap._mounts
    shown = ["--perms", "0755", "--dir", "/srv", "--ro-bind", tempfile.gettempdir(), str(HIDDEN)]
    monkeypatch.setattr(bubblewrap, "_mounts", lambda: [*shown, *words()])


def without_a_filter(edited, monkeypatch):
    edited("walls.py", "kernel.filter_calls(program)", "pass")


def with_a_filter_that_lets_namespaces_through(edited, monkeypatch):
    monkeypatch.setattr(seccomp, "REFUSED", ALL_OPEN)


def without_a_limit_on_memory(edited, monkeypatch):
    edited("walls.py", "(resource.RLIMIT_AS, memory)", "(resource.RLIMIT_CORE, 0)")


def among_the_parents_processes(edited, monkeypatch):
    edited("parent.py", "kernel.unshare(kernel.NEW_PID)", "pass")


def with_folders_for_all(edited, monkeypatch):
    edited("walls.py", '("/tmp", "/workdir", "/dev/shm")', '("/workdir",)')


@pytest.mark.parametrize(
    ("take_down", "wall"),
    [
        (without_a_network_of_its_own, "network"),
        (with_a_folder_of_the_host, "files"),
        (without_a_filter, "processes"),
        (without_a_filter, "filter"),
        (with_a_filter_that_lets_namespaces_through, "privileges"),
        (without_a_limit_on_memory, "memory"),
        (among_the_parents_processes, "neighbours"),
        (with_folders_for_all, "notes"),
    ],
)
def test_a_wall_that_is_missing_is_named(take_down, wall, edited, monkeypatch):
    take_down(edited, monkeypatch)
    with pytest.raises(SandboxError, match=f"these walls do not hold: .*`{wall}`"):
        Walls(hidden=(HIDDEN,)).start(Limits())


def test_all_walls_hold_when_none_is_taken_down(walls):
    walls.start(Limits()).end()


def test_where_user_namespaces_are_off_nothing_is_graded_and_a_person_learns_what_to_do(
    hand_in, course
):
    """A real host of that kind: a box in which the kernel refuses to make further ones."""
    hand_in("s001")
    program = bubblewrap._find_bubblewrap()
    off = ["--unshare-user", "--uid", "1000", "--disable-userns", "--dev-bind", "/", "/"]
    grade = [sys.executable, "-m", "autograder", "grade", "submitted", "--assignment"]
    ran = subprocess.run(
        [program, *off, "--", *grade, "encoder-layer", "--course", course.root, "--no-gradebook"],
        cwd=hand_in("s002").parents[3],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 3 and "Traceback" not in ran.stderr
    assert "The sandbox does not work on " in ran.stderr and "sudo sysctl" in ran.stderr


@pytest.mark.parametrize(
    ("setting", "value", "advice"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "as on Ubuntu 24.04"),
        ("kernel/unprivileged_userns_clone", "0", "keeps user namespaces to root"),
        ("user/max_user_namespaces", "0", "switched off"),
    ],
)
def test_the_setting_that_stands_in_the_way_is_named(setting, value, advice, monkeypatch, tmp_path):
    (tmp_path / setting).parent.mkdir()
    (tmp_path / setting).write_text(value + "\n")
    monkeypatch.setattr(choose, "SETTINGS", tmp_path)
    monkeypatch.setattr(bubblewrap, "_namespaces", lambda **_: ["--uid", "no"])
    with pytest.raises(SandboxError, match=advice):
        choose_walls("require")


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    with pytest.raises(SandboxError, match="libseccomp2"):
        choose_walls("require")


def test_elsewhere_than_on_linux_the_advice_is_another(monkeypatch):
    monkeypatch.setattr(choose.sys, "platform", "darwin")
    monkeypatch.setattr(bubblewrap, "_namespaces", lambda **_: ["--uid", "no"])
    with pytest.raises(SandboxError, match="Grade on Linux"):
        choose_walls("require")
