"""Test the walls before any submission is graded behind them. Without all walls, refuse to grade."""

import json
import os
import platform
import secrets
import socket
import struct
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.engine.candidate.channel import ChannelClosed, within
from autograder.engine.candidate.frames import ChannelError
from autograder.engine.limits.process import LANDLOCK, MEBIBYTE, NAMESPACES, Limits, SandboxError
from autograder.engine.sandbox import inspection, mounts, refused
from autograder.engine.sandbox.warm_parent import ParentConnection, Process

PROBE = Path(__file__).with_name("probe.py")
ANSWER_SECONDS = 20.0
FREE = 64 * MEBIBYTE  # memory of its libraries that a candidate can reuse, at most
ENVIRONMENTS = {
    NAMESPACES: mounts.environment() | {"PWD": "/workdir"},  # bubblewrap sets that one
    LANDLOCK: mounts.environment(inside=False),
}
CREDENTIALS = struct.Struct("3i")  # process, user, group: linux/socket.h
OTHER_DOORS = {"32-bit calls": "call_in_32_bits()", "x32 calls": "call_by_an_x32_number()"}


def try_walls(parent: ParentConnection, hidden: Sequence[Path] = ()) -> None:
    """Inspect a new candidate of this warm parent from outside, and have it look from inside for
    another candidate, for the host, and for the paths `hidden`.

    Raise `SandboxError`, which names the missing walls, or says that the candidate did not answer.
    """
    limits = Limits()
    neighbour = parent.start(limits)
    probe = parent.start(limits)
    gaps: list[str] = []
    try:
        for gap in _gaps(parent, probe, neighbour, limits, hidden):
            gaps.append(gap)
    except (ChannelError, LookupError, OSError, TypeError, ValueError) as error:
        if not gaps:
            raise SandboxError(f"the self-test of the walls got no answer: {error!r}") from error
    finally:
        neighbour.end()
        probe.end()
    if gaps:
        raise SandboxError(f"these walls do not hold: {', '.join(f'`{gap}`' for gap in gaps)}")


def _gaps(
    parent: ParentConnection,
    probe: Process,
    neighbour: Process,
    limits: Limits,
    hidden: Sequence[Path],
) -> Iterator[str]:
    numbers = _number(probe), _number(neighbour)
    yield from inspection.find_gaps(parent.level, *numbers, limits, ENVIRONMENTS[parent.level])
    yield from _gaps_from_inside(parent, probe, neighbour, limits, hidden)
    if _run(neighbour, "print('still here')").strip() != "still here":
        yield "neighbours"
    if platform.machine() == "x86_64":  # each of these ends the process that tries it
        for (door, call), process in zip(OTHER_DOORS.items(), (neighbour, probe), strict=True):
            if _lives_through(process, call):
                yield door


def _gaps_from_inside(
    parent: ParentConnection,
    probe: Process,
    neighbour: Process,
    limits: Limits,
    hidden: Sequence[Path],
) -> list[str]:
    note = secrets.token_hex(8)
    behind_landlock = parent.level == LANDLOCK
    if not behind_landlock:  # where nothing can be written
        _run(neighbour, f"leave_notes({note!r})")
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        tempfile.TemporaryDirectory() as folder,
    ):
        Path(folder, "file").touch()
        Path(folder, "empty").mkdir()
        question = {
            "hidden": [f"{folder}/file", *map(str, hidden), *mounts.shown(hidden)],
            "telling": mounts.covered(outside=behind_landlock),
            "packages": str(mounts.packages()) if behind_landlock else "/packages",
            "folder": folder,
            "port": listener.getsockname()[1],
            "numbers": [neighbour.number, parent.outside, os.getpid()],
            "note": note,
            "memory": limits.memory + FREE,
            "calls": list(refused.numbered(behind_landlock)),
            "behind_landlock": behind_landlock,
        }
        return json.loads(_run(probe, f"import json; print(json.dumps(find_gaps(**{question})))"))


def _run(process: Process, code: str) -> str:
    """Run `probe.py`, followed by the line `code`, as a cell of a candidate.

    Return the printed text. Raise `ValueError` if the cell raises.
    """
    _ask(process, f"{PROBE.read_text(encoding='utf-8')}\n{code}\n")
    value = process.channel.receive(within(ANSWER_SECONDS))["value"]
    if value["fault"] is not None:
        raise ValueError(value["fault"])
    return "".join(output["text"].decode() for output in value["outputs"])


def _ask(process: Process, source: str) -> None:
    step = "run", {"cell": "probe", "source": source.encode()}
    process.channel.send({"steps": [step], "token": "probe"}, within(ANSWER_SECONDS))


def _lives_through(process: Process, call: str) -> bool:
    try:
        _run(process, call)
    except ChannelClosed:
        return False
    return True


def _number(process: Process) -> int:
    """Return the candidate's process number in the namespace of this process."""
    # with SO_PASSCRED, the kernel adds the sender's number to an answer
    sock = process.channel.sock
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    _ask(process, "")
    sock.settimeout(ANSWER_SECONDS)
    room = socket.CMSG_SPACE(CREDENTIALS.size)
    _, ((_, _, credentials),), _, _ = sock.recvmsg(1, room, socket.MSG_PEEK)
    process.channel.receive(within(ANSWER_SECONDS))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    return CREDENTIALS.unpack(credentials)[0]
