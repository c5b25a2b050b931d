"""Run `pip install` quietly. Once a minute, print the step that pip is at.

    python .make/install.py ARGUMENT ...

The Makefile runs this with the new environment's Python before any package is installed, so it
needs only the standard library. It ends with pip's exit status.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable

PIP = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar=off"]
SECONDS = 60  # between two lines about the step
MAX_WARNINGS = 3  # some configurations of pip warn once for each package
WIDTH = 120
READER_SECONDS = 5  # a compiler that pip started may keep pip's output open


class Steps:
    """The newest line of pip's ordinary output."""

    def __init__(self) -> None:
        self.newest = "starting"

    def follow(self, lines: Iterable[str]) -> None:
        """Read until pip closes its output."""
        for line in lines:
            self.newest = line.strip() or self.newest


def pass_on_errors(lines: Iterable[str]) -> None:
    """Print pip's errors as they come, and of its warnings only the first few."""
    warnings = 0
    for line in lines:
        warnings += line.startswith("WARNING: ")
        if warnings <= MAX_WARNINGS or not line.startswith("WARNING: "):
            print(line, end="", file=sys.stderr, flush=True)
    if warnings > MAX_WARNINGS:
        print(f"make: pip printed {warnings - MAX_WARNINGS} more warnings", file=sys.stderr)


def shorten(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 4]} ..."


def wait_aloud(pip: subprocess.Popen[str], steps: Steps) -> int:
    """Wait until pip ends, and return its exit status."""
    minutes = 0
    while True:
        try:
            return pip.wait(SECONDS)
        except subprocess.TimeoutExpired:
            minutes += 1
            print(shorten(f"make: after {minutes} min: {steps.newest}"), flush=True)


def end(*_: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, end)
    pip = subprocess.Popen(
        [*PIP, *arguments],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    steps = Steps()
    readers = [
        threading.Thread(target=steps.follow, args=(pip.stdout,), daemon=True),
        threading.Thread(target=pass_on_errors, args=(pip.stderr,), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        return wait_aloud(pip, steps)
    except KeyboardInterrupt:  # a terminal sends it to pip, too
        return 128 + signal.SIGINT
    finally:
        pip.terminate()
        pip.wait()
        for reader in readers:
            reader.join(READER_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
