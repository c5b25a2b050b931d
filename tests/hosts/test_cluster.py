"""A class that is graded on several hosts with TLS, in short: a worker joins late, and a host dies."""

import pytest

from tests.hosts.cluster import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.database]


@pytest.mark.long
def test_a_worker_that_joins_late_takes_over_from_a_host_that_dies(cluster):
    cluster.hand_in(6)
    first, late = cluster.host("first"), cluster.host("late")
    cluster.hold(first)
    cluster.start_worker(first)
    run = cluster.send()
    wait_until(lambda: cluster.started(first))
    cluster.start_worker(late)
    run.wait_for("2 in all.")
    wait_until(lambda: cluster.started(late))
    first.die()
    outcome = cluster.outcome(run)
    assert (outcome.status, outcome.states()) == (0, {"graded": 6}), outcome.said
    assert outcome.sentences("10.77.0.") == [
        f"1 worker joined ({first.address}): 1 in all.",
        f"1 worker joined ({late.address}): 2 in all.",
        f"Lost 1 worker ({first.address}), 1 left: what was not finished is tried again.",
    ]
    assert outcome.told_once() and cluster.entered_once(outcome)
