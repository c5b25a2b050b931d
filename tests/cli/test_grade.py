"""`grade` on the command line: arguments, files, exit statuses, sentences."""

import csv
import json

import jsonschema
import pytest
from submissions import edit, exercise, full_marks, lost

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.cli.main import main
from autograder.cli.without_walls import OPTION
from autograder.engine.course import make_course
from autograder.engine.history import read_history, with_gone_mistakes
from autograder.engine.verdict import from_json, json_schema, verdict_files
from autograder.gradebook.check_cell import as_html, as_text

pytestmark = pytest.mark.walls


@pytest.fixture
def grade(assignment, tmp_path, capfd):
    """Grade tmp_path/submitted without a gradebook; return status, what was said, and verdicts."""

    def run(*more: str, place: str = "submitted"):
        results = tmp_path / "results"
        words = ["grade", str(tmp_path / place), "--assignment", assignment.id]
        status = main([*words, "--results", str(results), "--no-gradebook", *more])
        said = "".join(capfd.readouterr())
        files = verdict_files(results / assignment.id)
        return status, said, {file.stem: json.loads(file.read_text()) for file in files}

    return run


def test_each_submission_gets_a_verdict_and_a_row(grade, hand_in, assignment, tmp_path):
    hand_in("s001")
    hand_in("s002", only=True)
    status, said, verdicts = grade()
    assert status == 0 and set(verdicts) == {"s001", "s002"}
    for verdict in verdicts.values():
        jsonschema.validate(verdict, json_schema())
    with (tmp_path / "results" / assignment.id / "grades.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    points = [rows[student]["points"] for student in ("s001", "s002")]
    assert points == [str(full_marks(assignment)), "0.0"]
    for one in assignment.exercises:
        assert rows["s001"][one.id] == str(one.points)
    assert "s001" in said and "not attempted" in said


def test_one_notebook_is_graded_by_itself(grade, hand_in, assignment, tmp_path):
    path = hand_in("s001")
    status, _, verdicts = grade(place=str(path.relative_to(tmp_path)))
    assert status == 0 and verdicts["s001"]["points"] == full_marks(assignment)


def test_a_notebook_from_anywhere_is_entered_nowhere(hand_in, assignment, folder, tmp_path):
    path = hand_in("s001", only=True).rename(tmp_path / "mine.ipynb")
    results = tmp_path / "results"
    words = ["grade", str(path), "--assignment", assignment.id, "--results", str(results)]
    assert main([*words, "--course", str(folder)]) == 0
    assert json.loads((results / assignment.id / "mine.json").read_text())["points"] == 0
    assert not (folder / "gradebook.db").exists()


def test_run_again_only_what_changed_is_graded(grade, hand_in):
    hand_in("s001", only=True)
    path = hand_in("s002", only=True)
    _, _, first = grade()
    edit(path, lambda content: content["cells"].append(content["cells"][-1] | {"id": "note"}))
    status, said, second = grade()
    assert status == 0 and "1 graded, 1 as they were" in said
    assert second["s001"] == first["s001"] and second["s002"] != first["s002"]
    assert "2 graded, 0 as they were" in grade("--regrade")[1]


def test_identical_submissions_are_told(grade, hand_in):
    for student in ("s001", "s003", "s004"):
        hand_in(student, only=True, feed_forward="x = 1")
    for student in ("s002", "s005"):
        hand_in(student, only=True)
    _, said, verdicts = grade("--jobs", "1")
    assert "3 submissions are identical: s001, s003, s004." in said
    assert said.count("are identical") == 1 and "identical" not in json.dumps(verdicts)
    assert "3 submissions are identical: s001, s003, s004." in grade()[1]


def test_a_damaged_submission_gets_a_sentence_and_the_others_go_on(grade, hand_in):
    hand_in("s001", only=True)
    broken = hand_in("s002")
    broken.write_text('{"cells": [')
    status, said, verdicts = grade()
    assert status == 0 and verdicts["s001"]["state"] == "graded"
    assert "1 graded, 1 unreadable, 0 as they were" in said
    assert verdicts["s002"]["state"] == "unreadable" and verdicts["s002"]["points"] == 0
    assert "its JSON is damaged" in verdicts["s002"]["reason"]
    assert "save it from Jupyter" in said.replace("\n", " ")
    assert broken.read_text() == '{"cells": ['


def test_an_empty_folder_of_a_student_is_unreadable(grade, hand_in, assignment, tmp_path):
    hand_in("s001", only=True)
    (tmp_path / "submitted" / "s002" / assignment.id).mkdir(parents=True)
    status, _, verdicts = grade()
    assert status == 0 and "There is no notebook" in verdicts["s002"]["reason"]


def test_a_notebook_under_another_name_is_taken_if_it_is_the_only_one(grade, hand_in, assignment):
    path = hand_in("s001", only=True)
    path.rename(path.with_name(f"{assignment.id} (1).ipynb"))
    assert grade()[2]["s001"]["state"] == "graded"


def test_a_folder_that_is_no_id_is_named_and_the_status_says_so(grade, hand_in):
    hand_in("s001", only=True)
    hand_in("a b; rm", only=True)
    status, said, verdicts = grade()
    assert status == 3 and set(verdicts) == {"s001"}
    assert "cannot be a student's id" in said


def test_what_was_repaired_is_said_for_each_student(grade, hand_in, assignment):
    missing = assignment.exercises[0].id
    hand_in("s001", only=True)

    def remove(content):
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != missing]

    edit(hand_in("s002", only=True), remove)
    sentence = f"The cell `{missing}` is missing from the notebook."
    for more in ((), ("--regrade",), ()):
        _, said, verdicts = grade("--jobs", "1", *more)
        assert verdicts["s002"]["repairs"] == [sentence] and verdicts["s001"]["repairs"] == []
        assert said.count(f"s002: {sentence}\n") == 1 and "s001: " not in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--assignment", "none"], "There is no assignment `none`. There is: "),
        (["--assignment", "ID"], "No submission of `ID` is in"),
        (["--assignment", "ID", "--jobs", "0"], "--jobs"),
        (["--assignment", "ID", "--jobs", "2", "--scheduler", "tcp://a:1"], "not allowed with"),
        ([], "No submission is in"),
    ],
)
def test_wrong_usage_is_said_in_one_line(assignment, tmp_path, capfd, words, sentence):
    assert (
        main(["grade", str(tmp_path), *(word.replace("ID", assignment.id) for word in words)]) == 2
    )
    said = capfd.readouterr().err
    assert sentence.replace("ID", assignment.id) in said and said.count("\n") == 1


def test_an_unknown_assignment_is_told_which_there_are(assignment, tmp_path, capfd):
    assert main(["grade", str(tmp_path), "--assignment", "none"]) == 2
    assert assignment.id in capfd.readouterr().err


def test_a_course_that_is_none_is_wrong_usage(hand_in, assignment, tmp_path, capfd):
    hand_in("s001")
    place = str(tmp_path / "submitted")
    words = ["grade", place, "--assignment", assignment.id, "--results", str(tmp_path / "r")]
    assert main([*words, "--course", str(tmp_path)]) == 2
    assert "is no nbgrader course" in capfd.readouterr().err


def test_a_folder_that_is_not_there_is_wrong_usage(assignment, tmp_path, capfd):
    assert main(["grade", str(tmp_path / "nowhere"), "--assignment", assignment.id]) == 2
    assert "There is no folder or notebook" in capfd.readouterr().err


def test_the_right_folder_is_pointed_at(hand_in, assignment, tmp_path, capfd):
    hand_in("s001")
    assert main(["grade", str(tmp_path), "--assignment", assignment.id]) == 2
    assert f"did you mean `{tmp_path / 'submitted'}`?" in capfd.readouterr().err


def test_without_walls_nothing_is_graded(grade, hand_in, no_walls):
    hand_in("s001")
    status, said, verdicts = grade()
    assert status == 3 and verdicts == {} and "User namespaces must be allowed" in said


def test_the_best_walls_may_be_none_and_then_it_is_practice(grade, hand_in, no_walls):
    hand_in("s001", only=True)
    status, said, verdicts = grade("--sandbox", "auto", OPTION)
    assert status == 0 and verdicts["s001"]["stamp"]["sandbox"] == "practice"
    assert "No walls (" in said and "): these verdicts are practice" in said


def test_practice_says_that_it_is_practice(grade, hand_in, assignment):
    hand_in("s001")
    status, said, verdicts = grade("--sandbox", "off", OPTION)
    assert status == 0 and verdicts["s001"]["stamp"]["sandbox"] == "practice"
    assert verdicts["s001"]["points"] == full_marks(assignment) and "practice" in said


def test_several_processes_give_the_same_verdicts(grade, hand_in, assignment):
    missing = assignment.exercises[0]
    hand_in("s001")
    hand_in("s002", **{missing.id: ""})
    status, _, verdicts = grade("--jobs", "2", "--seed", "3")
    assert status == 0
    assert lost(from_json(verdicts["s001"])) == {}
    assert lost(from_json(verdicts["s002"])) == {missing.id: missing.points}


def test_a_mistake_that_is_gone_is_told_to_the_student(
    assignment, solved, unscaled, tmp_path, capsys
):
    results, id = tmp_path / "results", unscaled.exercise
    for turn, cell in enumerate((unscaled.cells[0], solved[id])):
        place = tmp_path / str(turn)
        submission = SampleSubmission(solved | {id: cell}, "")
        write_submission(assignment, place / "s001" / assignment.id, submission)
        options = ["--assignment", assignment.id, "--results", str(results), "--no-gradebook"]
        assert main(["grade", str(place), *options]) == 0
    capsys.readouterr()
    kept = from_json(json.loads((results / assignment.id / "s001.json").read_text()))
    assert not exercise(kept, id).gone  # no verdict depends on what was before
    had = read_history(results, assignment.id, "s001")
    assert [one.id for one in exercise(had[0], id).mistakes] == [unscaled.id] and len(had) == 1
    result = exercise(with_gone_mistakes(kept, had), id)
    assert "Gone since an earlier submission" in as_html(result)
    assert f"Gone since an earlier submission: {unscaled.sentence}" in as_text(result)


def test_a_course_in_a_folder_above_is_found(hand_in, assignment, course, tmp_path, monkeypatch):
    hand_in("s001", only=True)
    own = make_course(tmp_path, course)
    (tmp_path / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "down")
    place, results = str(tmp_path / "submitted"), str(tmp_path / "results")
    assert main(["grade", place, "--assignment", assignment.id, "--results", results]) == 0
    assert (own.root / "gradebook.db").is_file()
