"""An examiner for the attack suite, in a process of its own: grades what its standard input names.

    python worker.py SECRET    {"student": ..., "path": ...} -> {"verdict": {...}, "shown": "..."}

SECRET stands for all that is hidden: it is in the arguments, the environment and the memory of this
process, and must not come back in anything that a submission says or shows.
"""

import json
import sys
from pathlib import Path

from autograder.engine.assignment import find_assignment
from autograder.engine.grade import Grader
from autograder.graders.encoder_layer import reference
from autograder.engine.sandbox import Limits, choose_walls

LIMITS = Limits(cell_seconds=6, request_seconds=3, total_seconds=60, memory=2 << 30)


def main() -> None:
    reference.SECRET = sys.argv[1]
    grader = Grader(find_assignment("encoder-layer"), choose_walls("require"), LIMITS)
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        graded = grader.grade(request["student"], Path(request["path"]))
        answer = {"verdict": graded.verdict.to_json(), "shown": repr(graded.outputs)}
        print(json.dumps(answer), flush=True)
    grader.walls.close()


if __name__ == "__main__":
    main()
