"""A wire between two namespaces that keeps each packet for a while and loses some.

    python -m tests.hosts.slow_wire PID:DEVICE PID:DEVICE SECONDS SHARE

Each end is a device of that name in the network namespace of that process. It says `up`, and works until
its input is closed. `tc netem` would do it, but many kernels lack it.
"""

import ctypes
import fcntl
import os
import random
import selectors
import struct
import sys
import time
from collections import deque

SET_DEVICE = 0x400454CA  # TUNSETIFF of linux/if_tun.h
ETHERNET, NO_HEADER = 0x0002, 0x1000
LONGEST = 65536  # bytes of a packet


def open_end(pid: str, device: str) -> int:
    """Make a device in the namespace of this process; return what its packets are read from."""
    libc = ctypes.CDLL(None, use_errno=True)
    namespace = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    if libc.setns(namespace, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(end, SET_DEVICE, struct.pack("16sH22x", device.encode(), ETHERNET | NO_HEADER))
    os.close(namespace)
    return end


def carry(ends: tuple[int, int], delay: float, loss: float) -> None:
    """Carry packets both ways until the input is closed."""
    chance = random.Random(1)
    other = {ends[0]: ends[1], ends[1]: ends[0]}
    on_the_way: deque[tuple[float, int, bytes]] = deque()
    ready = selectors.DefaultSelector()
    for one in (*ends, sys.stdin.fileno()):
        ready.register(one, selectors.EVENT_READ)
    while True:
        wait = max(0.0, on_the_way[0][0] - time.monotonic()) if on_the_way else None
        for key, _ in ready.select(wait):
            if key.fd not in other:
                return
            packet = os.read(key.fd, LONGEST)
            if chance.random() >= loss:
                on_the_way.append((time.monotonic() + delay, other[key.fd], packet))
        while on_the_way and on_the_way[0][0] <= time.monotonic():
            _, end, packet = on_the_way.popleft()
            try:
                os.write(end, packet)
            except OSError:  # the device is down: the packet is lost
                continue


def main() -> None:
    first, second, delay, loss = sys.argv[1:]
    ends = open_end(*first.split(":")), open_end(*second.split(":"))
    print("up", flush=True)
    carry(ends, float(delay), float(loss))


if __name__ == "__main__":
    main()
