"""A verdict is kept whole or not at all, and read back as it was."""

import json

import jsonschema
import msgspec
import pytest

from autograder import CheckResult, ExerciseResult, read_verdict, write_verdict
from autograder.engine import Verdict
from autograder.engine.verdicts import STUDENT, Stamp, check_sentence, from_json, verdict

STAMP = Stamp(
    grader="g", submission="s", torch="2.13.0", python="3.11", seed=1, sandbox="namespaces"
)
CHECK = CheckResult("test_x", 0.0, 1.0, False, "Why?")
VERDICT = Verdict(
    *("s001", "a-sheet", "graded", 0.0, 1.0),
    exercises=[ExerciseResult("softmax", "answered", 0.0, 1.0, [CHECK], [])],
    repairs=["A sentence."],
    seconds=0.1,
    stamp=STAMP,
)


def test_what_is_written_is_read(tmp_path):
    write_verdict(tmp_path / "new" / "s001.json", VERDICT)
    assert read_verdict(tmp_path / "new" / "s001.json") == VERDICT
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["s001.json"]


def test_notes_are_always_written_and_may_be_absent_in_older_files():
    assert VERDICT.to_json()["notes"] == []
    noted = msgspec.structs.replace(VERDICT, notes=["A sentence."])
    assert from_json(noted.to_json()) == noted
    older = {name: value for name, value in VERDICT.to_json().items() if name != "notes"}
    assert from_json(older) == VERDICT
    jsonschema.Draft202012Validator(verdict.json_schema()).validate(older)


CHANGES = (
    {"notes": [1]},
    {"state": "perfect"},
    {"student": "../x"},
    {"points": "24"},
    {"points": -1},
    {"surprise": 1},
    {"schema": 2},
    {"exercises": [{"id": "x"}]},
)


@pytest.mark.parametrize("change", CHANGES)
def test_another_form_is_no_verdict(change, tmp_path):
    with pytest.raises(ValueError, match="no verdict"):
        from_json(VERDICT.to_json() | change)
    (tmp_path / "s.json").write_text(json.dumps(VERDICT.to_json() | change))
    assert read_verdict(tmp_path / "s.json") is None


def test_the_schema_is_a_schema_that_says_the_same():
    jsonschema.Draft202012Validator.check_schema(verdict.json_schema())
    validator = jsonschema.Draft202012Validator(verdict.json_schema())
    validator.validate(VERDICT.to_json())
    for change in CHANGES:
        assert not validator.is_valid(VERDICT.to_json() | change), change
    without = {name: value for name, value in VERDICT.to_json().items() if name != "schema"}
    assert not validator.is_valid(without)
    with pytest.raises(ValueError, match="no verdict"):
        from_json(without)


def test_the_schema_file_is_what_the_types_say():
    assert json.loads(verdict.SCHEMA_FILE.read_text()) == verdict.json_schema(), (
        f"run `python -m {verdict.__name__}`"
    )


def test_a_check_reads_as_a_sentence_with_its_case():
    assert check_sentence("test_projections_have_no_bias") == "projections have no bias"
    assert check_sentence("test_shape_is_kept[one_head-3]") == "shape is kept (one_head-3)"


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", "-x", ".x", "x" * 65, "ä", "x\n"])
def test_names_that_could_leave_their_folder_are_no_ids(name):
    assert not STUDENT.fullmatch(name)
