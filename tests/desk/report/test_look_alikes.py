"""Look-alikes are read as `look-alikes` wrote them, or not at all."""

import json

import pytest

from autograder import AutograderError
from autograder.desk.look_alikes.file import NAME, read_look_alikes

PAIR = {"students": ["ada", "ben"], "share": 0.8, "by_chance": 0.4, "exercises": [], "signs": []}
WHOLE = {
    "schema": 1,
    "assignment": "sheet",
    "identical": [["ada", "cleo"]],
    "pairs": [PAIR],
    "pages": "look-alikes.html",
}


@pytest.fixture
def read(tmp_path):
    """Read this text from the folder of an assignment."""
    folder = tmp_path / "sheet"
    folder.mkdir()

    def from_text(text: str):
        (folder / NAME).write_text(text)
        return read_look_alikes(folder)

    return from_text


def test_they_are_read_whole(read):
    found = read(json.dumps(WHOLE))
    assert found.pairs[0].students == ("ada", "ben") and found.identical == [["ada", "cleo"]]


def test_there_need_not_be_any(tmp_path):
    assert read_look_alikes(tmp_path) is None


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"pairs": [PAIR | {"share": 1.5}]},
        {"pairs": [PAIR | {"students": ["ada"]}]},
        {"pairs": [PAIR | {"students": ["ada", "../ben"]}]},
        {"pages": "https://canary.example/x.html"},
        {"pages": "javascript:canary().html"},
        {"assignment": "another"},
    ],
)
def test_what_is_not_as_agreed_is_refused_in_a_sentence(read, change):
    with pytest.raises(AutograderError, match=r"\.look-alikes\.json"):
        read(json.dumps(WHOLE | change))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_is_no_json_is_refused(read, text):
    with pytest.raises(AutograderError, match="look-alikes` again"):
        read(text)
