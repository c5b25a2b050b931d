"""What happens to a class when a host, a line, a disk or a clock fails: nothing is lost, nothing comes
twice, and one sentence says it. The page for administrators has the same as a table.
"""

import shutil
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from tests.benchmarks.checkout import CHECKOUT
from tests.hosts.cluster import GONE_SECONDS, OURS, wait_until
from tests.hosts.network import MAY_SLOW_DOWN

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

needs_tun = pytest.mark.skipif(not MAY_SLOW_DOWN, reason="/dev/net/tun may not be used")
FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
STUDENTS = 6
ALL = {"graded": STUDENTS}


@pytest.fixture
def cluster(cluster):
    """The cluster, with a class on the sender."""
    cluster.hand_in(STUDENTS)
    return cluster


def all_are_graded(cluster, outcome) -> bool:
    assert (outcome.status, outcome.states()) == (0, ALL), outcome.said
    return outcome.told_once() and cluster.entered_once(outcome)


@needs_tun
def test_a_slow_line_that_loses_packets(hosts, small, cluster_of):
    cluster = cluster_of(sender={"delay": 0.05, "loss": 0.01})
    cluster.hand_in(STUDENTS)
    for name in ("one", "other"):
        cluster.start_worker(cluster.host(name, delay=0.05, loss=0.01))
    outcome = cluster.outcome(cluster.send())
    assert all_are_graded(cluster, outcome) and not outcome.sentences("Lost")


def test_a_host_whose_cable_is_pulled(cluster):
    one, other = cluster.host("one"), cluster.host("other")
    cluster.hold(other)
    for host in (one, other):
        cluster.start_worker(host)
    run = cluster.send()
    wait_until(lambda: cluster.started(other))
    cluster.network.unplug(other)
    outcome = cluster.outcome(run)
    assert all_are_graded(cluster, outcome)
    assert outcome.sentences("Lost") == [
        f"Lost 1 worker ({other.address}), 1 left: what was not finished is tried again."
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
    run.wait_for(f"Lost 1 worker ({only.address}), 0 left: what was not finished is tried again.")
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


def test_workers_with_other_packages_and_other_graders(cluster, tmp_path):
    ours, packages, graders = (cluster.host(name) for name in ("ours", "packages", "graders"))
    info = packages.see(cluster.disk(packages)) / "installed" / "einops-9.9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: einops\nVersion: 9.9.9\n")
    before = packages.environment["PYTHONPATH"]
    packages.environment["PYTHONPATH"] = f"{cluster.disk(packages)}/installed:{before}"
    graders.run("umount", cluster.disk(graders) / "checkout")
    copy = graders.see(cluster.disk(graders)) / "checkout"
    skipped = shutil.ignore_patterns("__pycache__", ".venv", ".git", "attacks")
    for part in ("autograder", "tests"):
        shutil.copytree(CHECKOUT / part, copy / part, ignore=skipped, symlinks=True)
    with (copy / "tests/course/graders/small_sheet/reference.py").open("a") as file:
        file.write("# later\n")
    for host in (packages, graders):
        cluster.start_worker(host)
    outcome = cluster.outcome(cluster.send())
    assert (outcome.status, outcome.verdicts) == (3, {}), outcome.said
    (sentence,) = outcome.sentences("is retired", packages.address)
    assert "its Python or its packages are other versions than here" in sentence
    (sentence,) = outcome.sentences("is retired", graders.address)
    assert "its graders are another version" in sentence
    cluster.start_worker(ours)
    outcome = cluster.outcome(cluster.send())
    assert all_are_graded(cluster, outcome)
    assert not cluster.started(packages) and not cluster.started(graders)


def test_a_worker_whose_disk_is_full(cluster):
    full, well = cluster.host("full"), cluster.host("well")
    fill(full.see(cluster.disk(full)) / "tmp" / "filler")
    cluster.hold(well)
    cluster.start_worker(well)
    run = cluster.send()
    wait_until(lambda: cluster.started(well))
    cluster.start_worker(full)
    run.wait_for("2 in all.")
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


def test_a_worker_whose_clock_is_an_hour_ahead(cluster):
    ahead = cluster.host("ahead")
    set_clock(ahead, "+1h")
    cluster.start_worker(ahead)
    assert all_are_graded(cluster, cluster.outcome(cluster.send()))


def test_a_worker_whose_clock_is_two_days_behind(cluster):
    behind, right = cluster.host("behind"), cluster.host("right")
    set_clock(behind, "-2d")
    cluster.start_worker(behind)
    cluster.start_worker(right)
    assert all_are_graded(cluster, cluster.outcome(cluster.send()))
    assert not cluster.started(behind)
    assert f"TLS handshake failed with remote 'tls://{behind.address}" in cluster.scheduler.said


def test_a_sender_whose_clock_is_two_days_behind(cluster):
    set_clock(cluster.sender, "-2d")
    outcome = cluster.outcome(cluster.send())
    assert outcome.status == 2, outcome.said
    (sentence,) = outcome.sentences("autograder: ")
    assert "certificate is not yet valid" in sentence and "look at this machine's clock" in sentence


def test_a_certificate_that_begins_in_an_hour(cluster):
    """As it is where another machine, whose clock is an hour ahead, made it now."""
    settings = cluster.authority.write(cluster.folder / "early", timedelta(hours=1))
    cluster.sender.environment["DASK_CONFIG"] = str(settings)
    outcome = cluster.outcome(cluster.send())
    assert outcome.status == 2, outcome.said
    (sentence,) = outcome.sentences("autograder: ")
    assert "it does not accept this machine's certificate" in sentence


def fill(file: Path) -> None:
    """Write until the disk is full."""
    with file.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))


def set_clock(host, shift: str) -> None:
    """Have what is started on a host from now on see another time; OpenSSL sees it, too."""
    if not FAKETIME:
        pytest.skip("no clock can be set wrong: libfaketime is not installed")
    host.environment |= {
        "LD_PRELOAD": str(FAKETIME[0]),
        "FAKETIME": shift,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
