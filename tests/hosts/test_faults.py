"""A class that is graded on several hosts, and what happens to it when a host, a line, a disk or a clock
fails: nothing is lost, nothing comes twice, and one sentence says it. The page for administrators has the
same as a table.
"""

import shutil
import time
from contextlib import suppress
from pathlib import Path

import pytest
from typed_commands import TOP, blocks, type_in

from tests.hosts.cluster import GONE_SECONDS, OURS, WAIT_SECONDS, wait_until
from tests.hosts.network import IS_ROOT, MAY_SLOW_DOWN

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
STUDENTS = 6
ALL = {"graded": STUDENTS}


@pytest.fixture
def cluster(cluster_of):
    """The cluster, with a class on the sender."""
    cluster = cluster_of()
    cluster.hand_in(STUDENTS)
    return cluster


def all_are_graded(cluster, outcome) -> bool:
    assert (outcome.status, outcome.states()) == (0, ALL), outcome.said
    return outcome.told_once() and cluster.entered_once(outcome)


def as_on_the_page(folder: Path) -> Path:
    """Make certificates as the page says; return the file of settings that it tells to write."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no `openssl`, with which the page makes certificates")
    folder.mkdir()
    _, commands, _ = blocks("administrator.md")
    type_in(folder, commands)
    page = (TOP / "docs" / "administrator.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0].replace("/PATH", str(folder))
    settings = folder / "dask.yaml"
    settings.write_text(text, encoding="utf-8")
    return settings


@pytest.mark.walls
@pytest.mark.skipif(not IS_ROOT, reason="walls need more than one user in a user namespace")
def test_walls_hold_on_every_host(cluster_of, small, tmp_path):
    cluster = cluster_of(settings=as_on_the_page(tmp_path / "page"))
    cluster.hand_in(STUDENTS)
    for name in ("one", "other"):
        cluster.start_worker(cluster.host(name), "worker", "--no-nanny")
    outcome = cluster.outcome(cluster.send())
    assert all_are_graded(cluster, outcome)
    assert {one["stamp"]["sandbox"] for one in outcome.verdicts.values()} == {"namespaces"}
    points = sum(exercise.points for exercise in small.exercises)
    assert {one["points"] for one in outcome.verdicts.values()} == {points}


@pytest.mark.skipif(not MAY_SLOW_DOWN, reason="/dev/net/tun may not be used")
def test_a_slow_line_that_loses_packets(cluster_of):
    bad = {"delay": 0.05, "loss": 0.01}
    cluster = cluster_of(sender=bad)
    cluster.hand_in(STUDENTS)
    for name in ("one", "other"):
        cluster.start_worker(cluster.host(name, **bad))
    outcome = cluster.outcome(cluster.send())
    assert all_are_graded(cluster, outcome) and not outcome.sentences("Lost")


def test_a_worker_that_joins_late_takes_over_from_a_host_that_dies(cluster):
    first, late = cluster.host("first"), cluster.host("late")
    cluster.hold(first)
    cluster.start_worker(first)
    run = cluster.send()
    wait_until(lambda: cluster.started(first))
    cluster.start_worker(late)
    run.wait_for("2 in all.", WAIT_SECONDS)
    wait_until(lambda: cluster.started(late))
    first.die()
    outcome = cluster.outcome(run)
    assert all_are_graded(cluster, outcome)
    assert outcome.sentences("10.77.0.") == [
        f"1 worker joined ({first.address}): 1 in all.",
        f"1 worker joined ({late.address}): 2 in all.",
        f"Lost 1 worker ({first.address}), 1 left: what was not finished is tried again.",
    ]


def test_a_partition_that_heals(cluster):
    only = cluster.host("only")
    cluster.hold(only)
    worker = cluster.start_worker(only, "worker", *OURS[:2])
    run = cluster.send()
    wait_until(lambda: cluster.started(only))
    cluster.network.unplug(only)
    time.sleep(GONE_SECONDS / 4)  # for so long nobody notices
    cluster.network.plug(only)
    cluster.network.unplug(only)
    lost = f"Lost 1 worker ({only.address}), 0 left: what was not finished is tried again."
    run.wait_for(lost, WAIT_SECONDS)
    cluster.release(only)
    cluster.network.plug(only)
    wait_until(lambda: worker.process.poll() is not None)  # Dask's worker leaves by itself
    cluster.start_worker(only, "worker-again")
    outcome = cluster.outcome(run)
    assert all_are_graded(cluster, outcome)
    assert len(outcome.sentences("Lost")) == 1 and len(outcome.sentences("1 worker joined")) == 2


def test_a_sender_that_is_cut_off(cluster):
    host = cluster.host("one")
    cluster.hold(host, "s003")
    cluster.start_worker(host)
    run = cluster.send()
    wait_until(lambda: "s003" in cluster.started(host) and " s002 graded " in run.said)
    cluster.network.unplug(cluster.sender)
    outcome = cluster.outcome(run)
    assert outcome.status == 3 and len(outcome.verdicts) == STUDENTS
    assert outcome.states() == {"graded": 2, "not_graded": 4} and "Traceback" not in outcome.said
    (sentence,) = outcome.sentences("The scheduler ")
    assert sentence.startswith("4 students are not graded (s003, s004, s005, s006): The scheduler ")
    cluster.release(host)
    cluster.network.plug(cluster.sender)
    assert all_are_graded(cluster, cluster.outcome(cluster.send()))


def test_a_scheduler_that_is_started_again(cluster):
    host = cluster.host("one")
    worker = cluster.start_worker(host)
    cluster.hold(host)
    run = cluster.send()
    wait_until(lambda: cluster.started(host))
    cluster.kill(cluster.scheduler)
    cluster.release(host)
    cluster.restart_scheduler()
    outcome = cluster.outcome(run)
    assert (outcome.status, outcome.verdicts) == (3, {}), outcome.said
    (sentence,) = outcome.sentences("autograder: ")
    assert "The scheduler is gone: start it and its workers again, and grade again" in sentence
    assert worker.process.poll() is not None  # Dask's workers leave with their scheduler
    cluster.start_worker(host)
    assert all_are_graded(cluster, cluster.outcome(cluster.send()))


def test_a_worker_with_other_packages(cluster):
    ours, packages = cluster.host("ours"), cluster.host("packages")
    info = packages.see(cluster.disk(packages)) / "installed" / "einops-9.9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: einops\nVersion: 9.9.9\n")
    before = packages.environment["PYTHONPATH"]
    packages.environment["PYTHONPATH"] = f"{cluster.disk(packages)}/installed:{before}"
    cluster.start_worker(packages)
    outcome = cluster.outcome(cluster.send())
    assert (outcome.status, outcome.verdicts) == (3, {}), outcome.said
    (sentence,) = outcome.sentences("is retired", packages.address)
    assert "its Python or its packages are other versions than here" in sentence
    cluster.start_worker(ours)
    assert all_are_graded(cluster, cluster.outcome(cluster.send()))
    assert not cluster.started(packages)


def test_a_worker_whose_disk_is_full(cluster):
    full, well = cluster.host("full"), cluster.host("well")
    fill(cluster.in_temporary(full, "filler"))
    cluster.hold(well)
    cluster.start_worker(well)
    run = cluster.send()
    wait_until(lambda: cluster.started(well))
    cluster.start_worker(full)
    run.wait_for("2 in all.", WAIT_SECONDS)
    cluster.release(well)
    outcome = cluster.outcome(run)
    assert all_are_graded(cluster, outcome)
    (sentence,) = outcome.sentences("is retired")
    assert full.address in sentence and "No space left on device" in sentence
    assert "failed with submissions that another host could grade" in sentence


def test_a_disk_of_results_that_is_full(cluster):
    results = cluster.course / "results"
    results.mkdir()
    cluster.sender.mount_disk(results, 48 / 1024)
    cluster.start_worker(cluster.host("one"))
    outcome = cluster.outcome(cluster.send())
    assert outcome.status == 1, outcome.said
    assert outcome.sentences("No space left on device", "What was finished before is kept.")
    cluster.sender.run("mount", "-o", "remount,size=16m", results)
    again = cluster.outcome(cluster.send())
    assert all_are_graded(cluster, again)
    assert again.sentences("as they were") and not again.sentences(" 0 as they were")


def test_workers_whose_clocks_are_wrong(cluster):
    if not FAKETIME:
        pytest.skip("no clock can be set wrong: libfaketime is not installed")
    hosts = {shift: cluster.host(name) for name, shift in (("ahead", "+1h"), ("behind", "-2d"))}
    for shift, host in hosts.items():
        host.environment |= {
            "LD_PRELOAD": str(FAKETIME[0]),  # OpenSSL sees it, too
            "FAKETIME": shift,
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        cluster.start_worker(host)
    assert all_are_graded(cluster, cluster.outcome(cluster.send()))
    behind = hosts["-2d"]
    assert not cluster.started(behind), "by its clock, no certificate is valid yet"
    assert f"TLS handshake failed with remote 'tls://{behind.address}" in cluster.scheduler.said


def fill(file: Path) -> None:
    """Write until the disk is full."""
    with file.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))
