"""An invented class as each platform would hand it out."""

import csv
import zipfile
from pathlib import PurePosixPath

import pytest

from autograder import AutograderError
from autograder.authoring.sample_download import write_download
from autograder.authoring.sample_platforms import SAMPLE_DOWNLOADS


@pytest.mark.parametrize("platform", SAMPLE_DOWNLOADS)
def test_every_platform_has_its_download(small, tmp_path, platform):
    files = write_download(small, tmp_path / "class.zip", platform, 25, seed=1)
    assert all(file.stat().st_size for file in files)
    with pytest.raises(AutograderError, match="is there already"):
        write_download(small, tmp_path / "class.zip", platform, 25, seed=1)


@pytest.fixture
def names(small, tmp_path):
    """The names in the zip of a class of 60, of whom some are late."""

    def make(platform: str) -> list[PurePosixPath]:
        file, *_ = write_download(small, tmp_path / f"{platform}.zip", platform, 60, seed=1)
        with zipfile.ZipFile(file) as archive:
            return [PurePosixPath(name) for name in archive.namelist()]

    return make


def test_whoever_is_late_is_named_as_ilias_names_them(names, small):
    found = names("ilias")
    assert len(found) == 60
    assert {path.parts[:2] for path in found} == {("Small sheet", "Submissions")}
    late = [path.name for path in found if path.name != f"{small.id}.ipynb"]
    assert 1 < len(late) < 6 and {*late} == {f"Late Submission - {small.id}.ipynb"}


def test_whoever_is_late_is_named_as_canvas_names_them(names):
    found = names("canvas")
    assert len(found) == 60 and 1 < sum("_LATE_" in path.name for path in found) < 6


def test_a_table_says_what_each_submission_is(small, tmp_path):
    _, said, sheet = write_download(small, tmp_path / "class.zip", "moodle", 25, seed=1)
    with said.open(newline="", encoding="utf-8") as file:
        people = list(csv.DictReader(file))
    assert len(people) == 25 and all(one["what"] for one in people)
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["Status"] == "No submission -  - " for row in rows) == 3
    assert {one["name"] for one in people} < {row["Full name"] for row in rows}


@pytest.mark.parametrize("platform", SAMPLE_DOWNLOADS)
def test_the_same_seed_gives_the_same_names(small, tmp_path, platform):
    one, other = (tmp_path / name / "class.zip" for name in ("one", "other"))
    for path in (one, other):
        write_download(small, path, platform, 5, seed=3)
    assert one.read_bytes() == other.read_bytes()
