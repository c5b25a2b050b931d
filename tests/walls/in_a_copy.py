"""Run pytest in a copy of the project, forked from a process that has imported what is not ours.

torch alone takes longer to import than most tests to run.
"""

import multiprocessing
import os
import sys
from pathlib import Path

LIBRARIES = """
    torch numpy safetensors.torch psutil IPython nbformat msgspec click
    jinja2 rich sqlalchemy traitlets
""".split()
_START = multiprocessing.get_context("forkserver")
_START.set_forkserver_preload(LIBRARIES)


def environment(project: Path) -> dict[str, str]:
    """The environment in which every process imports the copy, and leaves no bytecode in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    ours = {"PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    return kept | ours


def run_pytest(project: Path, words: list[str]) -> tuple[int, str]:
    """Return pytest's exit status, and what it said."""
    said = project.with_name("said.txt")
    process = _START.Process(target=_run, args=(project, words, said))
    process.start()
    process.join()
    return process.exitcode, said.read_text(encoding="utf-8", errors="replace")


def _run(project: Path, words: list[str], said: Path) -> None:
    """Be pytest in that folder; nothing of the project that this is a copy of is imported."""
    import pytest

    for stream, file in ((0, os.devnull), (1, said), (2, said)):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND), stream)
    variables = environment(project)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(project)
    sys.dont_write_bytecode = True
    here = str(Path(__file__).parents[2])
    sys.path[:] = [str(project), *(path for path in sys.path if path not in ("", here))]
    for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "autograder")]:
        del sys.modules[name]
    sys.argv[1:] = words
    os._exit(_flushed(pytest.main(words)))


def _flushed(status: int) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    return int(status)
