"""`collect`, run on downloads of any making, ordinary or made to do harm."""

import os

import pytest
from downloads import BOOK, ID, Collect, collect_words, on_disk, zipped

from autograder.cli.main import main


@pytest.fixture
def into(tmp_path):
    return tmp_path / "submitted"


@pytest.fixture
def collect(tmp_path, capfd) -> Collect:
    """Collect downloads into `into`; return status and what was said."""
    return Collect(tmp_path, capfd)


@pytest.fixture
def world(tmp_path):
    """A folder with a bystander in it, and SUBMITTED beside that."""
    top = tmp_path / "world"
    top.mkdir()
    (top / "bystander.txt").write_text("untouched")
    return top


@pytest.fixture
def collect_hostile(tmp_path, world, capfd):
    """Collect a zip of these members, or a folder; look at the disk; return status, words, files."""

    def run(download, *more):
        path = download
        if isinstance(download, bytes | list | dict):
            path = tmp_path / "download.zip"
            path.write_bytes(download if isinstance(download, bytes) else zipped(download))
        into = world / "submitted"
        status = main(["collect", str(path), *collect_words(into), "--timezone", "UTC", *more])
        said = "".join(capfd.readouterr())
        assert set(os.listdir(world)) <= {"bystander.txt", "submitted", "away"}
        assert (world / "bystander.txt").read_text() == "untouched"
        assert set(os.listdir(tmp_path)) <= {"world", "download.zip", "unpacked", "secret.ipynb"}
        files = on_disk(into) if into.is_dir() else {}
        graded = {
            name.split("/")[0]: files[name] for name in files if name.endswith(f"/{ID}/{BOOK}")
        }
        return status, said, {name: data for name, data in graded.items() if name != ".received"}

    return run
