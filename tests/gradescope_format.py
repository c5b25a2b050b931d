"""What Gradescope documents of results.json and submission_metadata.json, as types.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, json

Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]
Format = Literal["text", "html", "simple_format", "md", "ansi"]


class Test(Struct, forbid_unknown_fields=True):
    score: float | UnsetType = UNSET
    max_score: float | UnsetType = UNSET
    status: Literal["passed", "failed"] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    name_format: Format | UnsetType = UNSET
    number: str | UnsetType = UNSET
    output: str | UnsetType = UNSET
    output_format: Format | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET
    extra_data: dict[str, Any] | UnsetType = UNSET


class Results(Struct, forbid_unknown_fields=True):
    score: float | UnsetType = UNSET
    execution_time: float | UnsetType = UNSET
    output: str | UnsetType = UNSET
    output_format: Format | UnsetType = UNSET
    test_output_format: Format | UnsetType = UNSET
    test_name_format: Format | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET
    stdout_visibility: Visibility | UnsetType = UNSET
    extra_data: dict[str, Any] | UnsetType = UNSET
    tests: list[Test] | UnsetType = UNSET
    leaderboard: list[dict[str, Any]] | UnsetType = UNSET


def read_results(content: bytes) -> Results:
    """Read what Gradescope would; raises where the documentation does not have it."""
    results = json.decode(content, type=Results)
    of_tests = results.tests and all(test.score is not UNSET for test in results.tests)
    assert results.score is not UNSET or of_tests, "a score is required, here or in each test"
    return results


def metadata(number: int) -> bytes:
    """A submission_metadata.json as the documentation shows one."""
    return json.encode(
        {
            "id": number,
            "created_at": "2018-07-01T14:22:32.365935-07:00",
            "assignment": {
                "due_date": "2018-07-31T23:00:00.000000-07:00",
                "group_size": 4,
                "group_submission": True,
                "id": 25828,
                "course_id": 1234,
                "late_due_date": None,
                "release_date": "2018-07-02T00:00:00.000000-07:00",
                "title": "Programming Assignment 1",
                "total_points": "20.0",
            },
            "submission_method": "upload",
            "users": [{"email": "student@example.com", "id": 1234, "name": "Student User"}],
            "previous_submissions": [],
        }
    )
