"""The process that makes HTML of what students wrote: a line of JSON in, a line of JSON out.

A text that takes it too long or too much memory ends it; `render.py` then shows the text as it was
written, and starts another one.
"""

import json
import resource
import signal
import sys
from typing import Any

from autograder.gradebook.pages.cleaning import TooMuch
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.rendering import KINDS

MAX_MEMORY = 1 << 30  # bytes of addresses


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the HTML of one text, None where it cannot be made, and how many pixels are in it."""
    pixels = request["pixels"]
    pictures = Pictures(request["attachments"], request["folders"], pixels, request["figures"])
    try:
        html = KINDS[request["kind"]](request["text"], pictures)
    except (TooMuch, MemoryError, RecursionError):
        html = None
    except Exception as error:  # whatever four libraries raise on a text that nobody foresaw
        print(f"{request['kind']}: {type(error).__name__}", file=sys.stderr)
        html = None
    return {"html": html, "pixels": pixels - pictures.pixels_left}


def main() -> None:
    """Answer each line that comes, until there are no more."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin.buffer:
        request = json.loads(line)
        begun = _seconds()
        signal.setitimer(signal.ITIMER_PROF, request["seconds"])  # its signal ends the process
        said = answer(request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        said["seconds"] = _seconds() - begun
        sys.stdout.buffer.write(json.dumps(said).encode() + b"\n")
        sys.stdout.buffer.flush()


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
