"""The hosts of these tests are hosts: apart, reachable, and gone when they should be."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.benchmarks.checkout import CHECKOUT
from tests.hosts.network import MAY_SLOW_DOWN

pytestmark = pytest.mark.slow
needs_tun = pytest.mark.skipif(not MAY_SLOW_DOWN, reason="/dev/net/tun may not be used")

KILLED = """
import sys, time
from pathlib import Path
from tests.hosts.network import network
with network(Path(sys.argv[1])) as made:
    host = made.add("lost", delay=0.001)
    host.start("sleeper", ["sleep", "4077"])
    print(*(one.pid for one in (*made.holders, *made.wires)), host.pid, flush=True)
    time.sleep(600)
"""
LISTEN = """
import socket
server = socket.create_server(("", 4000))
print("up", flush=True)
while True:
    server.accept()
"""
CALL = """
import socket, sys, time
begin = time.monotonic()
socket.create_connection((sys.argv[1], 4000), 3)
print(time.monotonic() - begin)
"""


def test_a_host_has_a_name_processes_and_a_disk_of_its_own(hosts, tmp_path):
    one, other = hosts.add("one"), hosts.add("other")
    disk = tmp_path / "disk"
    disk.mkdir()
    one.mount_disk(disk, 1)
    (one.see(disk) / "note").write_text("kept")
    assert one.run("hostname").strip() == "one"
    assert one.run("ls", disk).split() == ["note"]
    assert other.run("ls", disk) == "" and list(disk.iterdir()) == []
    assert len(one.run("ps", "-e", "-o", "pid=").split()) == 2  # the holder, and ps itself


def test_a_pulled_cable_lets_nothing_through_until_it_is_back(hosts):
    one, other = hosts.add("one"), hosts.add("other")
    other.start("listener", [sys.executable, "-c", LISTEN]).wait_for("up")
    call = [sys.executable, "-c", CALL, other.address]
    assert one.start("call", call).wait(10) == 0
    hosts.unplug(other)
    assert one.start("call", call).wait(10) != 0
    hosts.plug(other)
    assert one.start("call", call).wait(10) == 0


@needs_tun
def test_a_slow_wire_delays_and_loses_packets(hosts):
    one, other = hosts.add("one", delay=0.05, loss=0.01), hosts.add("other")
    lost = hosts.add("lost", loss=1.0)
    other.start("listener", [sys.executable, "-c", LISTEN]).wait_for("up")
    call = one.start("call", [sys.executable, "-c", CALL, other.address])
    assert call.wait(10) == 0, call.said
    assert float(call.said) >= 0.1  # there and back
    assert lost.start("call", [sys.executable, "-c", CALL, other.address]).wait(10) != 0


@needs_tun
def test_nothing_is_left_of_hosts_whose_maker_is_killed(hosts, tmp_path):
    maker = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        text=True,
    )
    pids = [int(word) for word in maker.stdout.readline().split()]
    assert len(pids) == 4 and all(map(lives, pids))
    os.kill(maker.pid, signal.SIGKILL)
    maker.wait()
    maker.stdout.close()
    until = time.monotonic() + 10
    while any(map(lives, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(lives, pids))


def lives(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
