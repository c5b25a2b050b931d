"""What one host could not grade is tried on another; a worker that fails alone gets no more."""

import pytest

from autograder.classroom.second_tries import FirstTry, SecondTries, are_elsewhere
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import ungraded
from autograder.engine.submission import Submission

HERE, BESIDE, THERE = "tls://10.0.0.1:1", "tls://10.0.0.1:2", "tls://10.0.0.2:1"


@pytest.fixture
def failed(small):
    """A first try of this student's submission, at this address."""

    def make(student: str, address: str) -> FirstTry:
        submission = Submission([], student)
        return FirstTry(submission, address, ungraded(RunSettings(small), submission, "no space"))

    return make


def test_only_another_host_tries_again(failed):
    tries, first = SecondTries(), failed("s001", HERE)
    tries.add(first)
    assert tries.next_for(HERE) is None and tries.next_for(BESIDE) is None
    assert tries.next_for(THERE) is first and len(tries) == 1
    tries.take(first)
    assert not tries and tries.next_for(THERE) is None


def test_each_host_gets_what_others_failed_with_in_its_order(failed):
    tries = SecondTries()
    several = [failed("s001", HERE), failed("s002", THERE), failed("s003", BESIDE)]
    for first in several:
        tries.add(first)
    assert tries.next_for(HERE) is several[1]
    for first in (several[0], several[2]):
        assert tries.next_for(THERE) is first
        tries.take(first)
    assert tries.next_for(THERE) is None and len(tries) == 1


def test_what_no_other_host_can_try_is_told(failed):
    tries, first, second = SecondTries(), failed("s001", HERE), failed("s002", THERE)
    tries.add(first)
    tries.add(second)
    assert list(tries.take_those_left({"tls://10.0.0.1", "tls://10.0.0.2"})) == []
    assert list(tries.take_those_left({"tls://10.0.0.1"})) == [first] and len(tries) == 1
    assert list(tries.take_those_left(())) == [second] and not tries


def test_one_host_is_elsewhere_for_another():
    assert are_elsewhere("here", {"there"}) and are_elsewhere("here", {"here", "there"})
    assert not are_elsewhere("here", {"here"}) and not are_elsewhere("here", ())


def test_a_worker_that_fails_where_others_do_not_is_at_fault_once(failed):
    tries = SecondTries()
    several = [failed(student, HERE) for student in ("s001", "s002", "s003")]
    assert [tries.is_at_fault(one) for one in several] == [False, True, False]
    assert not tries.is_at_fault(failed("s004", BESIDE))
