"""The trusted side: runs the graders, asks a candidate their questions, and compares answers."""

from typing import TYPE_CHECKING

from autograder import _lazily

if TYPE_CHECKING:
    from autograder.engine.examiner.checks import CheckRun
    from autograder.engine.examiner.clock import Clock
    from autograder.engine.examiner.collecting import CollectedCheck, collect
    from autograder.engine.examiner.fixtures import Fixtures
    from autograder.engine.examiner.in_process import InProcessCandidate, run_cells
    from autograder.engine.examiner.proxy import Candidate
    from autograder.engine.examiner.session import PRECISIONS, CheckRunner, run_checks, undisturbed
    from autograder.engine.examiner.supervisor import Supervisor

__all__ = [
    "PRECISIONS",
    "Candidate",
    "CheckRun",
    "CheckRunner",
    "Clock",
    "CollectedCheck",
    "Fixtures",
    "InProcessCandidate",
    "Supervisor",
    "collect",
    "run_cells",
    "run_checks",
    "undisturbed",
]

# They import torch, so each is imported on first use.
__getattr__ = _lazily(
    __name__,
    {
        "autograder.engine.examiner.checks": "CheckRun",
        "autograder.engine.examiner.clock": "Clock",
        "autograder.engine.examiner.collecting": "CollectedCheck collect",
        "autograder.engine.examiner.fixtures": "Fixtures",
        "autograder.engine.examiner.in_process": "InProcessCandidate run_cells",
        "autograder.engine.examiner.proxy": "Candidate",
        "autograder.engine.examiner.session": "CheckRunner PRECISIONS run_checks undisturbed",
        "autograder.engine.examiner.supervisor": "Supervisor",
    },
)
