"""Test the walls before any submission is graded behind them: if a wall is missing, there are no
grades.
"""

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
FREE = 64 * MEBIBYTE  # at most, that a candidate can use again of what its libraries took
ENVIRONMENTS = {
    NAMESPACES: mounts.environment() | {"PWD": "/workdir"},  # bubblewrap sets that one
    LANDLOCK: mounts.environment(inside=False),
}
CREDENTIALS = struct.Struct("3i")  # process, user, group: linux/socket.h
OTHER_DOORS = {"32-bit calls": "call_in_32_bits()", "x32 calls": "call_by_an_x32_number()"}


def try_walls(parent: ParentConnection, hidden: Sequence[Path] = ()) -> None:
    """Inspect a new candidate of this warm parent from outside. From inside, have it look for
    another candidate, for the host, and for the paths `hidden`.

    Raise `SandboxError` if a wall is missing (it names all that are) or the candidate gives no
    answer.
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
    if not behind_landlock:  # there nothing can be written
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
    """Run the code of `probe.py`, followed by the line `code`, as a cell of the candidate
    `process`; return what it printed.

    Raise `ValueError` if it raises.
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
    """Return the candidate's process number in the namespace of this process; the kernel adds it to
    an answer.
    """
    sock = process.channel.sock
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    _ask(process, "")
    sock.settimeout(ANSWER_SECONDS)
    room = socket.CMSG_SPACE(CREDENTIALS.size)
    _, ((_, _, credentials),), _, _ = sock.recvmsg(1, room, socket.MSG_PEEK)
    process.channel.receive(within(ANSWER_SECONDS))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    return CREDENTIALS.unpack(credentials)[0]
