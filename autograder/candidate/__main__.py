"""The candidate's process: started by `sandbox.py` as `main(FD)`, FD being its end of the channel."""

import os
import resource
import socket

import torch

from autograder.candidate.answers import Desk
from autograder.channel import Channel


def main(fd: int) -> None:
    """Say that the walls let us through, take on the limits, answer until the channel closes."""
    channel = Channel(socket.socket(fileno=fd))
    limit(**channel.receive()["limits"])
    torch.set_num_threads(1)
    desk = Desk(channel)
    _let_go_of_the_terminal()
    channel.send({"value": "ready"})
    desk.serve()


def limit(memory: int, cpu_seconds: int, file_size: int, open_files: int) -> None:
    """Put hard limits on this process: bytes of address space, seconds, bytes a file, descriptors."""
    for what, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (value, value))


def _let_go_of_the_terminal() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
