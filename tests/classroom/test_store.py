"""The result store: written once, replaced only by what was proposed and accepted."""

import pytest
from msgspec.structs import replace as with_fields

from autograder.classroom.store import ResultStore
from autograder.engine.graded import Graded
from autograder.engine.verdict import Stamp, Verdict
from autograder.locks import Busy

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")
VERDICT = Verdict("s001", "sheet", "graded", 1.0, 4.0, [], [], 0.1, STAMP)
FIRST = Graded(VERDICT, {"cell": [{"output_type": "stream", "name": "stdout", "text": "1"}]})
SECOND = Graded(with_fields(VERDICT, points=2.0))


@pytest.fixture
def store(tmp_path) -> ResultStore:
    return ResultStore(tmp_path / "results", "sheet")


def test_what_was_put_is_there_for_the_next_run(store, tmp_path):
    with store.exclusively():
        assert "key" not in store and store.get("key") is None
        store.put("key", FIRST)
    later = ResultStore(tmp_path / "results", "sheet")
    assert "key" in later and later.get("key") == FIRST
    assert (tmp_path / "results/.ledger/sheet/key.json").is_file()  # its name for all versions


def test_a_proposal_counts_only_when_it_is_accepted(store):
    with store.exclusively():
        store.put("key", FIRST)
        store.propose("key", SECOND)
        assert store.get("key") == FIRST and store.proposed("key") == SECOND
        store.accept_proposals()
        assert store.get("key") == SECOND and store.proposed("key") is None


def test_a_proposal_that_was_never_accepted_is_gone_with_the_next_run(store):
    with store.exclusively():
        store.put("key", FIRST)
        store.propose("key", SECOND)
    with store.exclusively():
        store.accept_proposals()
        assert store.get("key") == FIRST and store.proposed("key") is None


def test_a_damaged_result_is_none(store):
    with store.exclusively():
        store.put("key", FIRST)
    (file,) = store.folder.glob("*.json")
    file.write_text("[]")
    assert store.get("key") is None


def test_two_runs_do_not_write_at_once(store, tmp_path):
    with (
        store.exclusively(),
        pytest.raises(Busy, match="Another run is grading into .*results"),
        ResultStore(tmp_path / "results", "sheet").exclusively(),
    ):
        pass
