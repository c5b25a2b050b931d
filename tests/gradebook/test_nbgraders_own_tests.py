"""nbgrader's own tests of its commands and its API, with us and without: a course of nbgrader's alone
behaves in the same way.
"""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbgrader
import pytest

pytestmark = [
    pytest.mark.walls,
    pytest.mark.database,
    pytest.mark.long,
    pytest.mark.timeout(1800),
]
THEIRS = Path(nbgrader.__file__).parent / "tests" / "apps"
CONFIG = """
c = get_config()
from autograder.gradebook.configuration import configure
configure(c)
"""
MEANT: dict[str, str] = {}  # why a test of theirs fails with us
FILES = "api", "nbgrader_autograde", "nbgrader_collect", "nbgrader_db", "nbgrader_export"


def failures(folder: Path, config: str) -> set[str]:
    """Run their tests with this configuration of the computer; return those that fail."""
    (folder / "config").mkdir(parents=True)
    (folder / "config" / "nbgrader_config.py").write_text(config)
    (folder / "home").mkdir()
    env = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    env |= {
        "JUPYTER_CONFIG_PATH": str(folder / "config"),
        "HOME": str(folder / "home"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    report = folder / "report.xml"
    own = ["-c", os.devnull, "--rootdir", str(folder), "-p", "no:cacheprovider", "-W", "ignore"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        *own,
        f"--junitxml={report}",
        "-q",
        "-n2",
        str(THEIRS),
    ]
    done = subprocess.run(command, cwd=folder, env=env, text=True, capture_output=True)
    cases = ElementTree.parse(report).iter("testcase")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return {
        f"{one.get('classname', '').rpartition('.tests.')[2]}.{one.get('name')}"
        for one in cases
        if one.find("failure") is not None or one.find("error") is not None
    }


def test_no_more_of_them_fail_with_us_but_those_that_are_meant_to(tmp_path):
    without = failures(tmp_path / "without", "")
    with_us = failures(tmp_path / "with", CONFIG)
    assert with_us - without == MEANT.keys()
