"""An examiner for the attack suite, in a process of its own: grades what its standard input names.

    python worker.py SECRET
    {"student": ..., "path": ...} -> {"verdict": {...}, "shown": "...", "proofs": ["...", ...]}

SECRET stands for all that is hidden: it is in the arguments, the environment and the memory of this
process, and must not come back in anything that a submission says, shows or proves.
"""

import json
import math
import sys
from pathlib import Path

from autograder.engine.assignment import find_assignment
from autograder.engine.candidate.channel import MAX_BODY, Channel
from autograder.engine.course import find_course
from autograder.engine.grade import Grader
from autograder.engine.process import Limits
from autograder.engine.sandbox import choose_walls

LIMITS = Limits(cell_seconds=6, request_seconds=3, total_seconds=60, memory=2 << 30)


def take_proofs_out(proofs: list[str]) -> None:
    """Keep from the examiner the frames in which attacks prove how far they got; collect them."""
    receive = Channel.receive

    def receive_other(self: Channel, deadline: float = math.inf, most: int = MAX_BODY) -> dict:
        while "proof" in (message := receive(self, deadline, most)):
            proofs.append(str(message["proof"]))
        return message

    Channel.receive = receive_other


def main() -> None:
    course = find_course(Path(__file__).parents[2])
    assignment = find_assignment("encoder-layer", course)
    assignment.module("reference").SECRET = sys.argv[1]
    grader = Grader(assignment, choose_walls("require", (course.graders,)), LIMITS)
    proofs: list[str] = []
    take_proofs_out(proofs)
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        proofs.clear()
        graded = grader.grade(request["student"], Path(request["path"]))
        answer = {"verdict": graded.verdict.to_json(), "shown": repr(graded.outputs)}
        print(json.dumps(answer | {"proofs": sorted(set(proofs))}), flush=True)
    grader.walls.close()


if __name__ == "__main__":
    main()
