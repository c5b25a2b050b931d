"""Try the walls before anybody is graded behind them: a wall that does not hold means no grades."""

import json
import os
import secrets
import socket
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.process import Limits, SandboxError
from autograder.engine.sandbox.errors import Gap
from autograder.engine.sandbox.warm_parent import Process, WarmParent

PROBE = Path(__file__).with_name("probe.py")
ANSWER_SECONDS = 20.0


def try_walls(parent: WarmParent, hidden: Sequence[Path] = ()) -> None:
    """Have one candidate look for another one, for the host, and for what must be hidden.

    Raises `SandboxError`.
    """
    note, limits = secrets.token_hex(8), Limits()
    neighbour = parent.start(limits)
    probe = parent.start(limits)
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            tempfile.NamedTemporaryFile() as file,
        ):
            numbers = [neighbour.number, parent.popen.pid, os.getpid()]
            port = listener.getsockname()[1]
            _run(neighbour, f"leave_notes({note!r})")
            paths = [file.name, *map(str, hidden)]
            question = f"find_gaps({paths}, {port}, {numbers}, {note!r}, {limits.memory})"
            gaps = json.loads(_run(probe, f"import json; print(json.dumps({question}))"))
        if _run(neighbour, "print('still here')").strip() != "still here":
            gaps.append("neighbours")
    except (ChannelError, LookupError, TypeError, ValueError) as error:
        raise SandboxError(f"the self-test of the walls got no answer: {error!r}") from error
    finally:
        neighbour.end()
        probe.end()
    if gaps:
        raise Gap(f"these walls do not hold: {', '.join(f'`{gap}`' for gap in gaps)}")


def _run(process: Process, code: str) -> str:
    """Run the probe's text and a line more as a cell; return what it printed."""
    source = f"{PROBE.read_text(encoding='utf-8')}\n{code}\n"
    step = "run", {"cell": "probe", "source": source.encode()}
    deadline = time.monotonic() + ANSWER_SECONDS
    process.channel.send({"steps": [step], "token": "probe"}, deadline)
    value = process.channel.receive(deadline)["value"]
    return "".join(output["text"].decode() for output in value["outputs"])
