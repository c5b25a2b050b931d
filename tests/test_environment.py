"""pyproject.toml and environment.yml say the same, and nothing is left to chance."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())


def test_every_package_has_one_version():
    extras = PROJECT["optional-dependencies"].values()
    for requirement in [*PROJECT["dependencies"], *(one for extra in extras for one in extra)]:
        assert re.fullmatch(r"[\w-]+==[\d.]+(; .+)?", requirement), requirement


def test_conda_installs_the_project_itself_and_says_no_more():
    packages = [one for one in CONDA["dependencies"] if isinstance(one, str)]
    (pip,) = (one["pip"] for one in CONDA["dependencies"] if isinstance(one, dict))
    assert packages == ["python=3.11", "pip"] and PROJECT["requires-python"] == ">=3.11"
    assert [line for line in pip if not line.startswith("--editable")] == [
        one for one in PROJECT["dependencies"] if one.startswith("torch==")
    ]
    assert "--editable .[dev]" in pip


def test_ten_visible_entries_at_the_root_at_most():
    made = {
        "demo",
        "site",
        "solution",
        "submitted",
        "autograded",
        "feedback",
        "results",
        "gradebook.db",
        "matrix",
    }
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    kept = {name for name in visible - made if not name.endswith(".egg-info")}
    assert len(kept) <= 10, kept
