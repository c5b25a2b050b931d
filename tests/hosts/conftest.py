"""Hosts, where this machine lets them be made."""

from pathlib import Path

import pytest

from tests.hosts.cluster import Cluster
from tests.hosts.network import NoHosts, network


@pytest.fixture
def hosts(tmp_path):
    """A network without hosts; a machine that may not make any skips the test, and says why."""
    made = network(tmp_path / "logs")
    try:
        opened = made.__enter__()
    except NoHosts as error:
        pytest.skip(f"no hosts can be made here: {error}")
    yield opened
    made.__exit__(None, None, None)


@pytest.fixture
def cluster_of(hosts, small, tmp_path):
    """Make a cluster whose scheduler is there, and no worker yet; the sender may have a bad line."""

    def make(sender: dict[str, float] | None = None, settings: Path | None = None) -> Cluster:
        cluster = Cluster(hosts, small, tmp_path, sender or {}, settings)
        cluster.start_scheduler()
        return cluster

    return make
