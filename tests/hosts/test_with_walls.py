"""A class that is really graded on two hosts: with walls, and with certificates as the page for
administrators has them made.
"""

import shutil

import pytest
from typed_commands import TOP, blocks, type_in

from tests.hosts.network import IS_ROOT

pytestmark = [pytest.mark.long, pytest.mark.walls, pytest.mark.timeout(900)]


def as_on_the_page(folder):
    """Follow the page; return the file of settings that it tells to write."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no `openssl`, with which the page makes certificates")
    folder.mkdir()
    _, commands, _ = blocks("administrator.md")
    type_in(folder, commands)
    page = (TOP / "autograder" / "docs" / "administrator.md").read_text(encoding="utf-8")
    settings = folder / "dask.yaml"
    settings.write_text(
        page.split("```yaml\n")[1].split("```")[0].replace("/PATH", str(folder)), encoding="utf-8"
    )
    return settings


@pytest.mark.skipif(not IS_ROOT, reason="walls need more than one user in a user namespace")
def test_walls_hold_on_every_host(cluster_of, small, tmp_path):
    cluster = cluster_of(settings=as_on_the_page(tmp_path / "page"))
    cluster.hand_in(4)
    for name in ("one", "other"):
        cluster.start_worker(cluster.host(name), "worker", "--no-nanny")
    outcome = cluster.outcome(cluster.send(program="autograder"))
    assert (outcome.status, outcome.states()) == (0, {"graded": 4}), outcome.said
    assert {one["stamp"]["sandbox"] for one in outcome.verdicts.values()} == {"namespaces"}
    points = sum(exercise.points for exercise in small.exercises)
    assert {one["points"] for one in outcome.verdicts.values()} == {points}
    assert outcome.told_once() and cluster.entered_once(outcome)
