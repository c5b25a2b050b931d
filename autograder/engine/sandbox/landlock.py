"""Run the warm parent as a plain process, with candidates behind Landlock, on hosts that forbid
namespaces.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from autograder.engine.sandbox import mounts
from autograder.engine.sandbox.bubblewrap import code_for
from autograder.engine.sandbox.seccomp import OWN_NUMBER, write_filter


def start_landlocked(control: int, complaints: IO[bytes], folder: str) -> subprocess.Popen:
    """Start a warm parent as a process of this user, and return its process.

    Its candidates are processes of the same user. `control`: the descriptor of its end of the
    control socket. `complaints`: the file for its stdout and stderr. `folder`: an empty folder,
    which it removes when it ends. Raise `SandboxError` if libseccomp is missing, `OSError` if no
    process can be started.
    """
    for source, inside in mounts.candidate_code():
        target = Path(folder) / Path(inside).relative_to(mounts.APP)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    Path(folder, "rules").write_text(json.dumps(mounts.landlock_rules()))
    with tempfile.TemporaryFile() as program:
        write_filter(program, behind_landlock=True)
        program.seek(0)
        arguments = control, program.fileno(), OWN_NUMBER, folder
        code = code_for("start_for_landlock", arguments, folder, str(mounts.packages()))
        return subprocess.Popen(
            [Path(sys.executable).resolve(), "-I", "-S", "-c", code],
            env=mounts.environment(inside=False),
            pass_fds=(control, program.fileno()),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=complaints,
            stderr=complaints,
            start_new_session=True,
        )
