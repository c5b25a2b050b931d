"""Feedback goes back through nbgrader's exchange to those who handed in there."""

import os
from pathlib import Path

import pytest
from converters import listening_log
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError, ExchangeFactory
from nbgrader.utils import notebook_hash

from autograder.engine.courses import read_config
from autograder.engine.files import SECRET, TIMESTAMP
from autograder.gradebook.sync.exchange import release_page

pytestmark = [
    pytest.mark.database,  # imports nbgrader
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # nbgrader leaves timestamp.txt open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SHEET = "small-sheet"
OF_ADA = "5ec7e7" * 20


@pytest.fixture
def released(course, tmp_path) -> tuple[Path, list[str]]:
    """A folder of released pages, of a class in which only ada's secret can be read; what was said."""
    for student in ("ada", "ben", "eve"):
        page = tmp_path / "course" / "feedback" / student / SHEET / f"{SHEET}.html"
        page.parent.mkdir(parents=True)
        page.write_text(f"page of {student}")
        folder = tmp_path / "course" / "submitted" / student / SHEET
        folder.mkdir(parents=True)
        (folder / TIMESTAMP).write_text("2026-11-20 15:00:00 UTC")
    submitted = tmp_path / "course" / "submitted"
    (submitted / "ada" / SHEET / SECRET).write_text(OF_ADA)
    (submitted / "eve" / SHEET / SECRET).symlink_to(submitted / "ada" / SHEET / SECRET)
    log, lines = listening_log()
    folders = CourseDirectory(
        root=str(tmp_path / "course"), course_id="a-course", assignment_id=SHEET
    )
    (tmp_path / "exchange").mkdir(mode=0o777)
    config = read_config(course.root)
    exchange = ExchangeFactory(config=config).ReleaseFeedback(coursedir=folders, log=log)
    exchange.root = str(tmp_path / "exchange")
    exchange.init_src()
    exchange.init_dest()
    exchange.copy_files()
    assert folders.student_id_exclude == ""
    return tmp_path / "exchange" / "a-course" / "feedback", lines


@pytest.mark.parametrize("name", ["ReleaseAssignment", "ReleaseFeedback"])
def test_owners_of_folders_are_compared_by_number(course, tmp_path, monkeypatch, name):
    """As for a user number that has no name."""
    monkeypatch.setattr("pwd.getpwuid", dict[int, object]().__getitem__)
    exchange = getattr(ExchangeFactory(config=read_config(course.root)), name)(
        coursedir=CourseDirectory(root=str(tmp_path))
    )
    exchange.ensure_directory(str(tmp_path), 0o755)
    theirs = Path("/")
    if os.geteuid() == 0:
        theirs = tmp_path / "theirs"
        theirs.mkdir()
        os.chown(theirs, 12345, 12345)
    with pytest.raises(ExchangeError):
        exchange.ensure_directory(str(theirs), 0o755)


def test_a_page_is_released_under_the_secret_of_its_submission(released):
    pages, _ = released
    (page,) = pages.glob("*.html")
    assert page.stem == notebook_hash(secret=OF_ADA, notebook_id=SHEET)
    assert page.read_text() == "page of ada"


def test_whose_secret_is_missing_or_a_link_is_named_and_not_released(released):
    _, lines = released
    (warning,) = (line for line in lines if "Not released" in line)
    assert "theirs: ben, eve. Who has" in warning
    assert f"nbgrader collect {SHEET} --update" in warning


def test_feedback_on_arrival_does_not_replace_a_page_with_marks(course, tmp_path):
    config = read_config(course.root)
    config.CourseDirectory.root, config.CourseDirectory.course_id = str(tmp_path), "a-course"
    config.Exchange.root = str(tmp_path / "exchange")
    (tmp_path / "exchange").mkdir(mode=0o777)
    folder = tmp_path / "submitted" / "ada" / SHEET
    folder.mkdir(parents=True)
    (folder / SECRET).write_text(OF_ADA)
    (folder / f"{SHEET}.ipynb").write_text("{}")
    released = tmp_path / "exchange" / "a-course" / "feedback"
    for text in ("first", "second"):
        release_page(config, SHEET, "ada", text)
        assert [page.read_text() for page in released.iterdir()] == [text]
    (page,) = released.iterdir()
    page.write_text('<meta name="grade" content="abc" />with marks')
    with pytest.raises(ExchangeError, match="with marks was released, and stays"):
        release_page(config, SHEET, "ada", "third")
    assert "with marks" in page.read_text()
    (folder / SECRET).write_text("another attempt")
    release_page(config, SHEET, "ada", "fourth")
    assert len([*released.iterdir()]) == 2
