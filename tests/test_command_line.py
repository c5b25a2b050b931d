"""The command line as contract 4 has it: arguments, files, exit statuses, sentences."""

import csv
import json

import jsonschema
import pytest
from conftest import edit

from autograder.__main__ import main
from autograder.engine.verdict import SCHEMA


@pytest.fixture
def grade(tmp_path, capfd):
    """Grade tmp_path/submitted without a gradebook; return status, what was said, and verdicts."""

    def run(*more: str, place: str = "submitted"):
        results = tmp_path / "results"
        words = ["grade", str(tmp_path / place), "--assignment", "encoder-layer"]
        status = main([*words, "--results", str(results), "--no-gradebook", *more])
        said = "".join(capfd.readouterr())
        files = (results / "encoder-layer").glob("*.json")
        return status, said, {file.stem: json.loads(file.read_text()) for file in files}

    return run


def test_each_submission_gets_a_verdict_and_a_row(grade, hand_in, tmp_path):
    hand_in("s001")
    hand_in("s002", only=True)
    status, said, verdicts = grade()
    assert status == 0 and set(verdicts) == {"s001", "s002"}
    for verdict in verdicts.values():
        jsonschema.validate(verdict, SCHEMA)
    with (tmp_path / "results" / "encoder-layer" / "grades.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert (rows["s001"]["points"], rows["s002"]["points"]) == ("24.0", "0.0")
    assert rows["s001"]["multi_head_attention"] == "6.0"
    assert "s001" in said and "not attempted" in said


def test_one_notebook_is_graded_by_itself(grade, hand_in, tmp_path):
    path = hand_in("s001")
    status, _, verdicts = grade(place=str(path.relative_to(tmp_path)))
    assert status == 0 and verdicts["s001"]["points"] == 24


def test_a_notebook_from_anywhere_is_entered_nowhere(hand_in, tmp_path, capfd):
    path = hand_in("s001", only=True).rename(tmp_path / "mine.ipynb")
    (tmp_path / "nbgrader_config.py").touch()
    results, course = str(tmp_path / "results"), str(tmp_path)
    words = ["grade", str(path), "--assignment", "encoder-layer", "--results", results]
    assert main([*words, "--course", course]) == 0
    assert json.loads((tmp_path / "results/encoder-layer/mine.json").read_text())["points"] == 0
    assert not (tmp_path / "gradebook.db").exists()


def test_run_again_only_what_changed_is_graded(grade, hand_in):
    hand_in("s001", only=True)
    path = hand_in("s002", only=True)
    _, _, first = grade()
    edit(path, lambda content: content["cells"].append(content["cells"][-1] | {"id": "note"}))
    status, said, second = grade()
    assert status == 0 and "1 graded, 1 as they were" in said
    assert second["s001"] == first["s001"] and second["s002"] != first["s002"]
    assert "2 graded, 0 as they were" in grade("--regrade")[1]


def test_a_damaged_submission_gets_a_sentence_and_the_others_go_on(grade, hand_in):
    hand_in("s001", only=True)
    broken = hand_in("s002")
    broken.write_text('{"cells": [')
    status, said, verdicts = grade()
    assert status == 0 and verdicts["s001"]["state"] == "graded"
    assert verdicts["s002"]["state"] == "unreadable" and verdicts["s002"]["points"] == 0
    assert "its JSON is damaged" in verdicts["s002"][
        "reason"
    ] and "save it from Jupyter" in said.replace("\n", " ")
    assert broken.read_text() == '{"cells": ['


def test_an_empty_folder_of_a_student_is_unreadable(grade, hand_in, tmp_path):
    hand_in("s001", only=True)
    (tmp_path / "submitted" / "s002" / "encoder-layer").mkdir(parents=True)
    status, _, verdicts = grade()
    assert status == 0 and "cannot be opened" in verdicts["s002"]["reason"]


def test_a_notebook_under_another_name_is_taken_if_it_is_the_only_one(grade, hand_in):
    path = hand_in("s001", only=True)
    path.rename(path.with_name("encoder-layer (1).ipynb"))
    assert grade()[2]["s001"]["state"] == "graded"


def test_a_folder_that_is_no_id_is_named_and_the_status_says_so(grade, hand_in):
    hand_in("s001", only=True)
    hand_in("a b; rm", only=True)
    status, said, verdicts = grade()
    assert status == 3 and set(verdicts) == {"s001"}
    assert "cannot be a student's id" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--assignment", "decoder"], "There is no assignment `decoder`. There is: encoder-layer"),
        (["--assignment", "encoder-layer"], "No submission of `encoder-layer` is in"),
    ],
)
def test_wrong_usage_is_said_in_one_line(tmp_path, capfd, words, sentence):
    assert main(["grade", str(tmp_path), *words]) == 2
    said = capfd.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_a_course_that_is_none_is_wrong_usage(hand_in, tmp_path, capfd):
    hand_in("s001")
    place = str(tmp_path / "submitted")
    words = ["grade", place, "--assignment", "encoder-layer", "--results", str(tmp_path / "r")]
    assert main([*words, "--course", str(tmp_path)]) == 2
    assert "is no nbgrader course" in capfd.readouterr().err


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path, capfd):
    assert main(["grade", str(tmp_path / "nowhere"), "--assignment", "encoder-layer"]) == 2
    assert "There is no folder or notebook" in capfd.readouterr().err


def test_the_right_folder_is_pointed_at(hand_in, tmp_path, capfd):
    hand_in("s001")
    assert main(["grade", str(tmp_path), "--assignment", "encoder-layer"]) == 2
    assert f"did you mean `{tmp_path / 'submitted'}`?" in capfd.readouterr().err


def test_without_walls_nothing_is_graded(grade, hand_in, monkeypatch):
    hand_in("s001")
    monkeypatch.setattr("autograder.engine.sandbox.bubblewrap._namespaces", lambda **_: ["--uid", "no"])
    monkeypatch.setattr("autograder.classroom.worker._walls", {})  # none that has walls already
    status, said, verdicts = grade()
    assert status == 3 and verdicts == {} and "User namespaces must be allowed" in said


def test_practice_says_that_it_is_practice(grade, hand_in):
    hand_in("s001")
    status, said, verdicts = grade("--sandbox", "off")
    assert status == 0 and verdicts["s001"]["stamp"]["sandbox"] == "practice"
    assert verdicts["s001"]["points"] == 24 and "practice" in said


def test_several_processes_give_the_same_verdicts(grade, hand_in):
    hand_in("s001")
    hand_in("s002", attention="")
    status, _, verdicts = grade("--jobs", "2", "--seed", "3")
    assert status == 0 and [verdicts[name]["points"] for name in ("s001", "s002")] == [24, 20]


def test_a_sample_class_fills_an_empty_folder_and_no_other(tmp_path, capfd):
    words = ["--assignment", "encoder-layer", "--students", "17", "--seed", "4"]
    assert main(["sample-class", str(tmp_path / "one"), *words]) == 0
    assert main(["sample-class", str(tmp_path / "two"), *words]) == 0
    assert main(["sample-class", str(tmp_path / "one"), *words]) == 2
    assert "is not empty" in capfd.readouterr().err
    one, two = (
        {file.relative_to(top): file.read_bytes() for file in top.rglob("*.ipynb")}
        for top in (tmp_path / "one", tmp_path / "two")
    )
    assert len(one) == 17 and one == two


def test_help_is_there(capfd):
    for words in (["--help"], ["grade", "--help"], ["sample-class", "--help"]):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0
    assert "usage: python -m autograder" in capfd.readouterr().out
