"""Ranges, tested versions and environment.yml fit together, and a missing extra is named."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
LOCKED = {
    canonicalize_name(one.name): one
    for line in (ROOT / "requirements.lock").read_text().splitlines()
    if line and not line.startswith("#")
    for one in [Requirement(line)]
}
EXTRAS = PROJECT["optional-dependencies"]
WITHOUT = """
import sys
for name in sys.argv.pop(1).split(): sys.modules[name] = None
from autograder.__main__ import main
sys.exit(main())
"""


def test_each_requirement_has_one_tested_version_in_its_range():
    for line in [*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]:
        wanted = Requirement(line)
        if wanted.name == PROJECT["name"]:
            assert wanted.extras < EXTRAS.keys()
            continue
        (tested,) = LOCKED[canonicalize_name(wanted.name)].specifier
        assert tested.operator == "==" and wanted.specifier.contains(tested.version), line
    assert len(PROJECT["dependencies"]) <= 15


def test_conda_installs_the_project_itself_and_says_no_more():
    packages = [one for one in CONDA["dependencies"] if isinstance(one, str)]
    (pip,) = (one["pip"] for one in CONDA["dependencies"] if isinstance(one, dict))
    assert packages == ["python=3.11", "pip"] and PROJECT["requires-python"] == ">=3.11"
    assert pip == ["--constraint requirements.lock", "--editable .[dev]"]


@pytest.mark.parametrize(
    ("missing", "words", "extra"),
    [
        ("dask", "grade {work} --scheduler tcp://127.0.0.1:1", "cluster"),
        ("psycopg", "enter --gradebook postgresql://127.0.0.1/book", "postgres"),
    ],
)
def test_what_an_extra_would_have_brought_is_named(hand_in, missing, words, extra):
    place = hand_in("s001").parents[2]
    words = words.format(work=place).split()
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, missing, *words], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode in (1, 2), done.stdout + done.stderr
    assert f"autograder[{extra}]" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_grading_works_without_what_extras_bring(hand_in):
    extras = "dask distributed psycopg python_calamine einops jaxtyping ipytest ipywidgets"
    place = hand_in("s001").parents[2]
    words = ["grade", place, "--no-gradebook", "--results", place.parent / "results"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, extras, *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 graded" in done.stdout
