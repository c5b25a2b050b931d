"""nbgrader's own tests of its commands and its API, with us: a course of nbgrader's alone behaves as
without us.
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
MOST_OF_THEM = 200
PLAIN = (  # commands of which our configuration changes nothing
    "zip_collect", "submit", "list", "quickstart", "fetch_assignment", "fetchfeedback", "generate_config",
)  # fmt: skip
CONFIG = """
c = get_config()
from autograder.gradebook.configuration import configure
configure(c)
"""
FEEDBACK = "TestNbGraderFeedback.test"
ONLY_PAGES = "feedback/ holds pages alone, and no file of a student's"
MEANT = {  # why a test of theirs fails with us
    f"{FEEDBACK}_force": ONLY_PAGES,
    f"{FEEDBACK}_force_f": ONLY_PAGES,
    f"{FEEDBACK}_filter_notebook": ONLY_PAGES,
    f"{FEEDBACK}_update_newer": ONLY_PAGES,
    f"{FEEDBACK}_update_newer_single_notebook": ONLY_PAGES,
    f"{FEEDBACK}_autotests": ONLY_PAGES,
    "TestNbGraderAutograde.test_grade_empty_timestamp": "a student's file that "
    "holds no time stops nobody's grading",
}


def failures(folder: Path, config: str, *names: str) -> dict[str, str]:
    """Run their tests with this configuration of the computer, all or those whose names these are;
    return the names of those that fail, by what tells them from others.
    """
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
    own += ["-k", " or ".join(names)] if names else []
    own += [f"--ignore={THEIRS / f'test_nbgrader_{command}.py'}" for command in PLAIN]
    command = [sys.executable, "-m", "pytest", *own, f"--junitxml={report}", "-q", str(THEIRS)]
    done = subprocess.run(command, cwd=folder, env=env, text=True, capture_output=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    cases = [*ElementTree.parse(report).iter("testcase")]
    assert names or len(cases) > MOST_OF_THEM
    return {
        f"{one.get('classname', '').rpartition('.')[2]}.{one.get('name')}": str(one.get("name"))
        for one in cases
        if one.find("failure") is not None or one.find("error") is not None
    }


def test_of_those_that_fail_with_us_only_the_meant_ones_pass_without(tmp_path):
    with_us = failures(tmp_path / "with", CONFIG)
    names = {name.partition("[")[0] for name in with_us.values()}
    without = failures(tmp_path / "without", "", *names)
    assert with_us.keys() - without.keys() == MEANT.keys()
