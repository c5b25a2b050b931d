"""The Makefile installs with a pip that is quiet: after a minute, the step it is at is printed."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[1]
RUN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may have been started with it ignored
sys.path.insert(0, {folder!r})
import install
install.SECONDS = {seconds}
sys.exit(install.main(["--editable", "."]))
"""
SLOW = """
import os, sys, time
print(*sys.argv[1:], flush=True)
print("  Downloading torch-2.13.0-cp312-manylinux_2_28_x86_64.whl (532.1 MB)", flush=True)
open("number", "w").write(str(os.getpid()))
time.sleep({seconds})
"""
FAILING = """
import sys
for package in range(100):
    print(f"WARNING: Location '/nowhere/{package}/' is ignored", file=sys.stderr)
print("ERROR: No matching distribution found for torch==2.13.0", file=sys.stderr)
sys.exit(7)
"""


@pytest.fixture
def install(tmp_path):
    """Start install.py with a pip that runs this program; it speaks after so many seconds."""

    def start(program: str, seconds: float) -> subprocess.Popen:
        (tmp_path / "pip").mkdir()
        (tmp_path / "pip" / "__init__.py").touch()
        (tmp_path / "pip" / "__main__.py").write_text(program)
        script = RUN.format(folder=str(TOP / ".make"), seconds=seconds)
        return subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


def test_a_long_download_is_named_with_its_size(install):
    process = install(SLOW.format(seconds=5), 1)
    printed, errors = process.communicate()
    assert process.returncode == 0 and errors == ""
    lines = printed.splitlines()
    assert lines[0] == (
        "make: after 1 min: Downloading torch-2.13.0-cp312-manylinux_2_28_x86_64.whl (532.1 MB)"
    )
    assert 2 <= len(lines) <= 6 and lines[1].startswith("make: after 2 min: ")


def test_a_short_installation_is_silent(install):
    process = install(SLOW.format(seconds=0), 60)
    assert (process.communicate(), process.returncode) == (("", ""), 0)


def test_an_error_is_shown_and_of_a_hundred_warnings_three(install):
    process = install(FAILING, 60)
    printed, errors = process.communicate()
    assert process.returncode == 7 and printed == ""
    assert errors.count("WARNING: Location") == 3
    assert "ERROR: No matching distribution found for torch==2.13.0\n" in errors
    assert errors.endswith("make: pip printed 97 more warnings\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "kill"])
def test_no_pip_is_left_behind(install, number, tmp_path):
    process = install(SLOW.format(seconds=600), 60)
    file = tmp_path / "number"
    while not (file.exists() and file.read_text()):
        time.sleep(0.05)
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    process.communicate(timeout=20)
    assert process.returncode == 128 + number
    with suppress(ProcessLookupError):
        os.kill(int(file.read_text()), 0)
        pytest.fail("pip is still there")
