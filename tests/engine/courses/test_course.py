"""A course is found by its configuration, upwards from here or by name, and nowhere else."""

import pytest

from autograder.engine import CourseError, find_course
from autograder.engine.courses import CONFIG, make_course, read_config


def test_the_nearest_folder_upwards_is_the_course(tmp_path, monkeypatch):
    (tmp_path / CONFIG).write_text("c = get_config()\n")
    inside = tmp_path / "submitted" / "ada"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    course = find_course()
    assert course.root == tmp_path and course.source == tmp_path / "source"
    assert course.release == tmp_path / "release" and course.graders == tmp_path / "graders"


def test_folders_are_those_of_the_configuration(tmp_path):
    (tmp_path / CONFIG).write_text(
        "c = get_config()\n"
        "c.CourseDirectory.source_directory = 'sheets'\n"
        "c.CourseDirectory.release_directory = '/elsewhere/release'\n"
        "c.Graders.directory = 'hidden/graders'\n"
    )
    course = find_course(tmp_path)
    assert course.source == tmp_path / "sheets" and str(course.release) == "/elsewhere/release"
    assert course.graders == tmp_path / "hidden" / "graders"


def test_whether_layers_of_the_library_earn_points_is_one_of_two_words(tmp_path):
    (tmp_path / CONFIG).write_text("c = get_config()\n")
    assert find_course(tmp_path).takes_library_layers
    (tmp_path / CONFIG).write_text("c = get_config()\nc.Graders.library_layers = 'no points'\n")
    assert not find_course(tmp_path).takes_library_layers
    (tmp_path / CONFIG).write_text("c = get_config()\nc.Graders.library_layers = 'none'\n")
    with pytest.raises(CourseError, match='is \'none\'; write "points" or "no points"'):
        find_course(tmp_path)


def test_where_there_is_no_course_a_person_learns_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match="--course DIR"):
        find_course()
    with pytest.raises(CourseError, match="is no nbgrader course"):
        find_course(tmp_path)


def test_a_configuration_that_cannot_be_read_is_told_in_one_line(tmp_path):
    (tmp_path / CONFIG).write_text("c = get_config(\n")
    with pytest.raises(CourseError, match=r"cannot be read \(SyntaxError: .*\): mend it") as error:
        find_course(tmp_path)
    assert "\n" not in str(error.value)


def test_a_course_can_be_made_with_the_assignments_of_another(tmp_path, small_course):
    made = make_course(tmp_path / "new", small_course, "c.LatePolicy.percent_per_day = 10\n")
    assert made.root == tmp_path / "new"
    assert made.source == small_course.source and made.graders == small_course.graders
    assert made.release == small_course.release
    assert find_course(tmp_path / "new") == made


def test_what_nbgrader_generates_in_such_a_course_stays_in_it(tmp_path, small_course):
    """formgrader's button deletes the folder that it writes: never the other course's release."""
    made = make_course(tmp_path / "new", small_course)
    assert "release_directory" not in read_config(made.root).CourseDirectory


def test_the_configuration_of_the_computer_is_read_and_the_courses_own_wins(tmp_path, monkeypatch):
    """As nbgrader reads it: a hub sets the exchange and the course for all its users."""
    system, root = tmp_path / "system", tmp_path / "course"
    for folder in (system, root):
        folder.mkdir()
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(system))
    (system / CONFIG).write_text(
        "c = get_config()\nc.Exchange.root = '/srv/exchange'\n"
        f"c.CourseDirectory.root = {str(root)!r}\nc.CourseDirectory.db_url = 'sqlite:///hub.db'\n"
    )
    (system / "nbgrader_config.json").write_text('{"CourseDirectory": {"course_id": "te"}}')
    (root / CONFIG).write_text("c = get_config()\nc.CourseDirectory.db_url = 'sqlite:///own.db'\n")
    config = read_config(root)
    assert config.Exchange.root == "/srv/exchange" and config.CourseDirectory.course_id == "te"
    assert config.CourseDirectory.db_url == "sqlite:///own.db"
    monkeypatch.chdir(tmp_path)
    assert find_course().root == root
    (root / CONFIG).unlink()  # nbgrader's own courses may be set up for the whole computer
    assert find_course().root == root
    (system / CONFIG).write_text("c.\n")
    with pytest.raises(CourseError, match=f"{system}/nbgrader_config.py` cannot be read"):
        read_config(root)
