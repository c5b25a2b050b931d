"""Run the solved notebooks with the versions that other people's machines have.

    python -m tests.machines.notebooks [SETUP ...] [--python PATH ...] [--folder DIR]

SETUP: the names of set-ups, by default all in SETUPS. For each, pip installs its versions into a virtual
environment in DIR, where it stays, or in a temporary folder. pip's usual index has torch for Linux with
CUDA, several GB for each version; PIP_EXTRA_INDEX_URL can add an index that has it without. Exit status 1 if
a notebook ends in a traceback, a check does not pass, a figure is missing, or a set-up cannot be made. `too_old` has a version that is not
supported: there, the first cell has to say so, and no check may be shown.
"""

import argparse
import asyncio
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from autograder import Assignment, assignments, find_assignment
from autograder.authoring.publish import WELL
from autograder.authoring.release_files import pinned
from autograder.authoring.toolbox.play import VIEW
from autograder.authoring.toolbox.supported import OLDEST
from autograder.authoring.toolbox_file import SET_UP
from autograder.engine.courses import read_course

CHECKOUT = Path(__file__).parents[2]
CELL_SECONDS = 900
NEEDED = "torch numpy matplotlib ipytest safetensors ipywidgets ipython ipykernel".split()
CHECK = re.compile(r"^toolbox\.check\(", re.MULTILINE)
FIGURE = re.compile(r"^(?:@toolbox\.(?:try_it|play)\b|(?:show|fill)_\w+\()", re.MULTILINE)
GUESSES = re.compile(r"^(?:guesses|predictions) = \{", re.MULTILINE)
ONLY_PRINT = {"tests_setup", "tests_planted", "demo_training", "demo_word"}  # no figures
RICH = {"text/html", "text/markdown", "text/latex", "image/png"}


@dataclass(frozen=True)
class SetUp:
    """The versions on somebody's machine: of Python, and requirements as pip takes them."""

    python: str
    requirements: Sequence[str]
    too_old: str = ""  # the package for which the first cell asks to be upgraded


def _oldest() -> list[str]:
    return [f"{name}=={version}.*" for name, version in OLDEST.items() if name != "Python"]


SETUPS = {
    "colab": SetUp(
        "3.12",
        [
            *("torch==2.8.0", "numpy==2.0.2", "matplotlib==3.10.0", "ipywidgets==7.7.1"),
            *("ipython==7.34.0", "ipykernel==6.17.1"),
        ],
    ),
    "kaggle": SetUp(
        "3.12",
        [
            *("torch==2.8.0", "numpy==1.26.4", "matplotlib==3.10.0", "ipywidgets==8.1.5"),
            *("ipython==7.34.0", "ipykernel==6.17.1"),
        ],
    ),
    "oldest": SetUp(OLDEST["Python"], [*_oldest(), "ipykernel==6.17.1"]),
    "newest": SetUp("3.13", pinned()),
    "too_old": SetUp("3.11", ["torch==2.2.2", "numpy==1.26.4"], too_old="torch"),
}


@dataclass
class Counts:
    """How many tracebacks, passing checks and figures a notebook shows, and a sentence for each fault."""

    tracebacks: int = 0
    checks: int = 0
    checks_wanted: int = 0
    figures: int = 0
    figures_wanted: int = 0
    sliders: int = 0
    complaints: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.tracebacks} tracebacks, {self.checks} of {self.checks_wanted} checks pass, "
            f"{self.figures} of {self.figures_wanted} figures ({self.sliders} with a control)"
        )


class CannotMake(Exception):
    """A set-up cannot be made here; the message says why."""


def find_python(version: str, pythons: Sequence[str]) -> str:
    """Return the first of these interpreters that has this version, or else the one in PATH.
    Raises `CannotMake` if there is none.
    """
    for python in (*pythons, f"python{version}", sys.executable):
        if not (path := shutil.which(python)):
            continue
        ask = "import sys; print('%d.%d' % sys.version_info[:2])"
        if _output_of([path, "-c", ask]).strip() == version:
            return path
    raise CannotMake(f"There is no Python {version} here: name one with --python.")


def make_environment(set_up: SetUp, folder: Path, pythons: Sequence[str]) -> Path:
    """Make the virtual environment of a set-up in `folder`, unless it is there; return its
    interpreter. Raises `CannotMake` if that fails.
    """
    python = folder / "bin" / "python"
    record = folder / "requirements.txt"
    requirements = [*set_up.requirements, "setuptools<81"]  # which old versions take for granted
    names = {re.split(r"[=<]", line)[0].lower() for line in requirements}
    requirements += [name for name in NEEDED if name not in names]
    if record.is_file() and record.read_text() == "\n".join(requirements):
        return python
    base = find_python(set_up.python, pythons)
    _output_of([base, "-m", "venv", "--clear", str(folder)])
    _output_of([str(python), "-m", "pip", "install", "--quiet", *requirements])
    record.write_text("\n".join(requirements))
    return python


def solved_notebook(assignment: Assignment) -> NotebookNode:
    """Return the released notebook with the solutions in its cells. In cells that draw only after a
    guess, the first guess is filled in.
    """
    notebook = nbformat.reads(assignment.pristine, as_version=4)
    for cell in notebook.cells:
        cell.source = assignment.solutions.get(cell.id, cell.source)
        if GUESSES.search(cell.source):
            cell.source = cell.source.replace("...", '"same"', 1)
    return notebook


def execute(assignment: Assignment, python: Path, folder: Path) -> NotebookNode:
    """Execute the solved notebook in a copy of the released folder, with this interpreter's kernel;
    return it with its outputs. A cell that raises does not stop the others.
    """
    copy, kernels = folder / assignment.id, folder / "kernels"
    shutil.copytree(assignment.release.parent, copy)
    notebook = solved_notebook(assignment)
    nbformat.write(notebook, copy / assignment.release.name)  # its last cell reads it
    spec = kernels / "other" / "kernel.json"
    spec.parent.mkdir(parents=True, exist_ok=True)
    start = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(
        json.dumps(
            {
                "argv": start,
                "display_name": "other",
                "language": "python",
                "env": {"PYDEVD_DISABLE_FILE_VALIDATION": "1"},
            }
        )
    )
    manager = AsyncKernelManager(
        kernel_name="other", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(kernels)])
    )
    client = NotebookClient(
        notebook,
        km=manager,
        allow_errors=True,
        timeout=CELL_SECONDS,
        resources={"metadata": {"path": str(copy)}},
    )
    with (folder / "kernel.log").open("w") as log:
        asyncio.run(client.async_execute(stdout=log, stderr=log))
    return notebook


def count_outputs(notebook: NotebookNode) -> Counts:
    """Count tracebacks, passing checks and figures in an executed notebook."""
    counts = Counts()
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        bundles = [output.get("data", {}) for output in cell.outputs]
        states = [_state(output) for output in cell.outputs if _state(output)]
        for output in cell.outputs:
            if output.output_type == "error":
                counts.tracebacks += 1
                counts.complaints.append(f"`{cell.id}` raises {output.ename}: {output.evalue}")
            elif _state(output) not in ("", *WELL):
                text = "".join(output.data["text/plain"])
                counts.complaints.append(f"`{cell.id}` says: {text}")
        if CHECK.search(cell.source):
            counts.checks_wanted += 1
            counts.checks += bool(states) and states[-1] in WELL
        if FIGURE.search(cell.source) and cell.id not in ONLY_PRINT:
            counts.figures_wanted += 1
            is_shown = any(RICH & data.keys() for data in bundles) and not states
            counts.figures += is_shown
            if not is_shown:
                counts.complaints.append(f"`{cell.id}` shows no figure")
            counts.sliders += any(VIEW in data for data in bundles)
    if counts.checks != counts.checks_wanted:
        counts.complaints.append(f"{counts.checks} of {counts.checks_wanted} checks pass")
    return counts


def complaints_if_too_old(notebook: NotebookNode, package: str) -> Iterator[str]:
    """Yield what is wrong with a notebook that ran with a version of this package that is too old:
    the first cell says so in one line, and no cell raises or blames the student.
    """
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        text = "".join(output.get("text", "") for output in cell.outputs).strip()
        if cell.id == SET_UP and not re.fullmatch(rf"{package} [\d.]+\S* .* too old .*", text):
            yield f"The first cell does not say that {package} is too old: {text}"
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"`{cell.id}` raises {output.ename}: {output.evalue}"
            if _state(output):
                yield f"`{cell.id}` says: {output.data['text/plain']}"


def run_set_up(name: str, folder: Path, pythons: Sequence[str]) -> bool:
    """Run all solved notebooks with a set-up, and print how each ended; return whether nothing is wrong."""
    set_up, is_well = SETUPS[name], True
    begin = time.monotonic()
    _say(f"{name}: installing {', '.join(set_up.requirements)}")
    try:
        python = make_environment(set_up, folder / name, pythons)
    except CannotMake as error:
        _say(f"{name}: {error}")
        return False
    _say(f"{name}: installed after {time.monotonic() - begin:.0f} s: {_versions(python)}")
    course = read_course(CHECKOUT)
    for id in assignments(course):
        begin = time.monotonic()
        try:
            with tempfile.TemporaryDirectory() as place:
                notebook = execute(find_assignment(id, course), python, Path(place))
        except (RuntimeError, TimeoutError) as error:  # nbclient's are kinds of these
            _say(f"{name}, {id}: the kernel did not come to the end: {error}")
            is_well = False
            continue
        nbformat.write(notebook, folder / name / f"{id}.ipynb")
        counts = count_outputs(notebook)
        complaints = counts.complaints
        if set_up.too_old:
            complaints = list(complaints_if_too_old(notebook, set_up.too_old))
        is_well = is_well and not complaints
        _say(f"{name}, {id}: {counts}; {time.monotonic() - begin:.0f} s")
        for complaint in complaints:
            print(f"    {complaint}", flush=True)
    return is_well


def main() -> int:
    """Run the set-ups that the arguments name. Return 0 if all is well, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.machines.notebooks")
    parser.add_argument("setups", nargs="*", metavar="SETUP", help=f"of {', '.join(SETUPS)}")
    parser.add_argument("--python", action="append", default=[], help="an interpreter to use")
    parser.add_argument("--folder", type=Path, help="where the virtual environments stay")
    options = parser.parse_args()
    if unknown := set(options.setups) - SETUPS.keys():
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(SETUPS)}")
    results = []
    for name in options.setups or SETUPS:
        with tempfile.TemporaryDirectory() as temporary:  # several GB, so one after the other
            folder = (options.folder or Path(temporary)).resolve()
            results.append(run_set_up(name, folder, options.python))
    return 0 if all(results) else 1


def _state(output: NotebookNode) -> str:
    """Return the state that the panel of a check has in its metadata; "" for another output."""
    return output.get("metadata", {}).get("check", {}).get("state", "")


def _versions(python: Path) -> str:
    """Return the versions that a notebook runs with, as text."""
    ask = (
        "import platform; from importlib.metadata import version\n"
        f"print('Python', platform.python_version(), *(f'{{n}} {{version(n)}}' for n in {NEEDED}), sep=', ')"
    )
    return _output_of([str(python), "-c", ask]).strip()


def _output_of(command: list[str]) -> str:
    """Run a command and return what it prints. Raises `CannotMake` with the end of its errors if it
    fails.
    """
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        lines = ran.stderr.strip().splitlines()
        raise CannotMake(f"`{' '.join(command)}` fails: {lines[-1] if lines else ran.returncode}")
    return ran.stdout


def _say(sentence: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {sentence}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
