"""What of the host's files is shown inside, and what of that is covered."""

from pathlib import Path

import pytest

from autograder.engine.sandbox import mounts

TELLING = (
    "autograder-0.1.0.dist-info/direct_url.json",
    "__editable___autograder_0_1_0_finder.py",
    "__pycache__/__editable___autograder_0_1_0_finder.cpython-311.pyc",
    "__editable__.other-1.0.pth",
    "other-1.0.dist-info/direct_url.json",
    "other.egg-link",
)
PLAIN = ("other/__init__.py", "other-1.0.dist-info/METADATA", "__pycache__/six.cpython-311.pyc")


@pytest.fixture
def packages(tmp_path, monkeypatch):
    for name in (*TELLING, *PLAIN):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("/home/somebody/the-course")
    monkeypatch.setattr(mounts, "packages", lambda: tmp_path)


def test_whatever_says_where_the_course_lies_is_covered(packages):
    covered = mounts.covered()
    for name in TELLING:
        assert any(f"/packages/{name}".startswith(path) for path in covered), name
    assert not any(f"/packages/{name}".startswith(path) for name in PLAIN for path in covered)


def test_it_is_covered_wherever_the_packages_can_be_seen(packages, tmp_path, monkeypatch):
    """As where they lie below the interpreter, as in a conda environment or in Docker's Python."""
    shown = ((tmp_path.parent, "/usr/local/lib"), (tmp_path, "/packages"))
    monkeypatch.setattr(mounts, "_libraries", lambda: iter(shown))
    covered = mounts.covered()
    for place in ("/packages", f"/usr/local/lib/{tmp_path.name}"):
        assert f"{place}/other.egg-link" in covered


def test_behind_landlock_all_else_among_the_packages_can_be_read(packages, tmp_path):
    (tmp_path / "link").symlink_to("/etc")
    readable = [Path(path) for path in mounts.landlock_rules()["readable"]]

    def can_be_read(name: str) -> bool:
        return any((tmp_path / name).is_relative_to(path) for path in readable)

    assert {name for name in (*TELLING, *PLAIN, "link") if can_be_read(name)} == {*PLAIN}


def test_of_the_folder_that_python_is_in_only_the_program_and_its_libraries_are_shown(
    tmp_path, monkeypatch
):
    """It may be a user's home, with the course in it, if Python was built there."""
    program = tmp_path / "bin/python3"
    for name in ("bin/python3", "lib/python3/os.py", "share/keys", "course/graders/test_it.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(mounts.sys, "base_prefix", str(tmp_path))
    monkeypatch.setattr(mounts.sys, "executable", str(program))
    shown = dict(mounts._libraries())
    assert shown[program] == "/python/bin/python3" and shown[tmp_path / "lib"] == "/python/lib"
    hidden = [tmp_path / "share/keys", tmp_path / "course/graders"]
    assert mounts.shown(hidden) == []
    assert mounts.shown([tmp_path / "lib/course"]) == ["/python/lib/course"]
    assert not any(
        path.is_relative_to(place)
        for path in hidden
        for place in mounts.landlock_rules()["readable"]
    )
