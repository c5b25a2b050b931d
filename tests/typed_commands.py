"""The blocks of commands on a page, and typing them as a reader would."""

import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[1]


def blocks(page: str) -> list[str]:
    """The bash blocks of a page in `autograder/docs/`, in their order."""
    return re.findall(r"```bash\n(.*?)```", (TOP / "autograder" / "docs" / page).read_text(), re.S)


def type_in(folder: Path, block: str, settings: str = "") -> str:
    """Type a block in this folder, after the settings of the page; return what is said."""
    done = subprocess.run(
        ["bash", "-c", f"set -eo pipefail\n{settings}{block}"],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(TOP),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
