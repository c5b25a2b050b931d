"""Tests of a sandbox that a host forbids are skipped there, and the last line counts them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sandboxes import NO_NAMESPACES, NO_SANDBOX, has_landlock

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[1]
TESTS = """\
import pytest

@pytest.mark.namespaces
@pytest.mark.parametrize("number", range(3))
def test_in_namespaces(number): ...

@pytest.mark.walls
def test_in_any_sandbox(): ...

@pytest.mark.skip(reason="there is no `openssl`")
def test_of_certificates(): ...

def test_without(): ...
"""


@pytest.fixture
def last_line(tmp_path):
    """Run those tests where these programs come first on the PATH; return pytest's last line."""
    (tmp_path / "test_here.py").write_text(TESTS)
    (tmp_path / "bin").mkdir()

    def run(*options: str) -> str:
        words = [
            "-c",
            TOP / "pyproject.toml",
            "-p",
            "conftest",
            *options,
            tmp_path / "test_here.py",
        ]
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words],
            cwd=TOP,
            env=os.environ | {"PATH": path, "PYTHONPATH": f"{TOP}:{TOP / 'tests'}"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()[-1]

    return run


def test_a_host_without_namespaces_skips_tests_that_need_them(last_line, tmp_path):
    program = tmp_path / "bin" / "bwrap"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    line = last_line("-n1")
    assert line.startswith(f"skipped: 3 because {NO_NAMESPACES}; 1 because ")
    assert "1 because there is no `openssl`" in line
    assert (f"1 because {NO_SANDBOX}" in line) is not has_landlock()


@pytest.mark.namespaces
def test_elsewhere_only_the_others_are_counted(last_line):
    assert last_line("-n0") == "skipped: 1 because there is no `openssl`"
