"""Ask the worker for the HTML of a text; where it has none, show the text as it was written."""

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path

from markupsafe import Markup

from autograder.engine.pictures import PAGE_PIXELS
from autograder.text import without_halves

PACKAGES = Path(__file__).parents[3]
TEXT_SECONDS = 2.0  # of the processor, for one text; honest ones take hundredths
PAGE_SECONDS = 8.0  # for a page, which takes a fifth of one; what comes then is shown as it is
PATIENCE = 60.0  # seconds of the clock, on a machine with other things to do
MAX_PLAIN = 20_000  # characters of a text that is shown as it was written
MAX_PAGE = 60_000  # elements of a page: a browser takes a second for them
AS_WRITTEN = "This text is too long or too nested to be laid out. It is shown as it was written"


@dataclass
class Budget:
    """What is left of what one page may take, and where the assignment's pictures are."""

    folders: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)  # digests of those in its notebook
    seconds: float = PAGE_SECONDS
    elements: int = MAX_PAGE
    pixels: int = PAGE_PIXELS


class Worker:
    """The process, started when it is needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, request: dict) -> dict | None:
        """Return the answer; None where the process has ended over it or does not start."""
        with self._lock:
            try:
                return json.loads(self._exchange(json.dumps(request).encode() + b"\n"))
            except (OSError, ValueError):
                self.end()
                return None

    def end(self) -> None:
        """End the process, if there is one."""
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _exchange(self, line: bytes) -> bytes:
        process = self._process = self._process or _start()
        assert process.stdin and process.stdout
        process.stdin.write(line)
        process.stdin.flush()
        received, until = bytearray(), time.monotonic() + PATIENCE
        while not received.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], max(0, until - time.monotonic()))
            chunk = os.read(process.stdout.fileno(), 1 << 20) if ready else b""
            if not chunk:
                raise OSError("no answer")
            received += chunk
        return bytes(received)


@cache
def the_worker() -> Worker:
    """The worker of this process."""
    worker = Worker()
    atexit.register(worker.end)
    return worker


def render(kind: str, text: str, budget: Budget, attachments: Mapping = {}) -> Markup:
    """Return the HTML of a text: `markdown`, `code`, `terminal`, `picture`, `table`."""
    text = without_halves(text)
    answer = None
    if budget.seconds > 0 and budget.elements > 0:
        answer = the_worker().ask(
            {
                "kind": kind,
                "text": text,
                "attachments": attachments,
                "folders": budget.folders,
                "figures": budget.figures,
                "pixels": budget.pixels,
                "seconds": min(TEXT_SECONDS, budget.seconds),
            }
        )
        budget.seconds -= answer["seconds"] if answer else TEXT_SECONDS
    if answer is None or answer["html"] is None:
        return as_written("" if kind == "picture" else text)
    budget.pixels -= answer["pixels"]
    budget.elements -= answer["html"].count("<")
    return Markup(answer["html"])


def as_written(text: str) -> Markup:
    """Return the text itself, or its beginning, below a sentence that says so."""
    said = f"{AS_WRITTEN}."
    if len(text) > MAX_PLAIN:
        said = f"{AS_WRITTEN}: the first {MAX_PLAIN:,} of {len(text):,} characters."
    return Markup(f'<p class="not-shown">{said}</p><pre>{escape(text[:MAX_PLAIN])}</pre>')


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "autograder.gradebook.pages.worker"],
        env=os.environ | {"PYTHONPATH": str(PACKAGES)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
