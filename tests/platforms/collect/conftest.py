"""`collect`, run on downloads of any making, ordinary or made to do harm."""

import os
from collections.abc import Callable

import pytest
from downloads import BOOK, ID, collect_words, on_disk, zipped

from autograder.cli.main import main


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


class Died(BaseException):
    """As if the machine had stopped: nothing gets to tidy up by what it knows."""


@pytest.fixture
def dies(monkeypatch) -> Callable[[Callable[[], object], int], bool]:
    """Do something that dies at a step on the disk, the first is 0; return whether it came to that."""

    def run(work: Callable[[], object], at: int) -> bool:
        steps = iter(range(1_000))

        def dying(step):
            def counted(*words, **more):
                if next(steps) == at:
                    raise Died
                return step(*words, **more)

            return counted

        with monkeypatch.context() as patched:
            for name in ("replace", "rename", "fsync"):
                patched.setattr(os, name, dying(getattr(os, name)))
            try:
                work()
            except Died:
                return True
        return False

    return run
