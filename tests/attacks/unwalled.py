"""Where an attack succeeds: it runs in the process that holds the secret, with nothing in its way.

    python -I -S unwalled.py SECRET < attack.py

That is how a grader without walls runs it. SECRET is in the arguments, the environment and the memory of
this process, in a frame above the attack's, in a file and in another student's notebook; another
process runs. What surrounds all this protects the machine, and hides nothing (see test_attacks.py).
"""

import os
import subprocess
import sys
import types
from pathlib import Path

CHANNEL = 3  # on which attacks prove
HIDDEN = Path("/tmp/planted-hidden")
SUBMITTED = Path("/tmp/course/submitted")
NOTES = ("/tmp", "/workdir", "/dev/shm")  # where the submission before left one


def main(secret: str) -> None:
    """Run the attack on standard input; what it proves goes to standard output."""
    source = sys.stdin.read()
    os.dup2(1, CHANNEL)
    os.dup2(2, 1)
    sys.modules["reference"] = reference = types.ModuleType("reference")
    reference.SECRET = secret
    for student in ("s001", "s002"):
        folder = SUBMITTED / student / "encoder-layer"
        folder.mkdir(parents=True)
        (folder / "encoder-layer.ipynb").write_text(secret)
    HIDDEN.write_text(secret)
    for folder in NOTES:
        Path(folder, "note").write_text("x")
    os.chdir(SUBMITTED / "s001" / "encoder-layer")
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    exec(compile(source, "<cell attack>", "exec"), {"__name__": "__main__"})
    other.kill()


if __name__ == "__main__":
    main(sys.argv[1])
