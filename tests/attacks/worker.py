"""An examiner for the attack suite, in a process of its own: grades what its standard input names.

    python worker.py SECRET LEVEL
    {"student": ..., "assignment": ..., "path": ...} -> {"verdict": {...}, "shown": "...", "proofs": ["...", ...]}

SECRET stands for all that is hidden: it is in the arguments, the environment and the memory of this
process, and must not come back in anything that a submission says, shows or proves. LEVEL is the
kind of walls.
"""

import json
import sys
from pathlib import Path

from autograder import find_assignment, find_course
from autograder.engine.candidate.channel import Channel, Deadline, forever
from autograder.engine.candidate.frames import MAX_BODY
from autograder.engine.grading import Grader
from autograder.engine.limits import Limits
from autograder.engine.sandbox import choose_walls
from autograder.mistakes.exercises import diagnose_exercises

LIMITS = Limits(cell_seconds=4, request_seconds=3, diagnosis_seconds=1)
SEEDS = {"encoder-layer": None, "layer-norm": 2, "modern-block": 2}  # where an attack may guess


def take_proofs_out(proofs: list[str]) -> None:
    """Keep from the examiner the frames in which attacks prove how far they got; collect them."""
    receive = Channel.receive

    def receive_other(self: Channel, deadline: Deadline = forever, most: int = MAX_BODY) -> dict:
        while "proof" in (message := receive(self, deadline, most)):
            proofs.append(str(message["proof"]))
        return message

    Channel.receive = receive_other


def main() -> None:
    course = find_course(Path(__file__).parents[2])
    walls = choose_walls(sys.argv[2], (course.graders,))
    graders = {}
    for name, seed in SEEDS.items():
        assignment = find_assignment(name, course)
        assignment.module("reference").SECRET = sys.argv[1]
        graders[name] = Grader(assignment, walls, LIMITS, seed, explain=diagnose_exercises)
    proofs: list[str] = []
    take_proofs_out(proofs)
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        proofs.clear()
        graded = graders[request["assignment"]].grade(request["student"], Path(request["path"]))
        answer = {"verdict": graded.verdict.to_json(), "shown": repr(graded.outputs)}
        print(json.dumps(answer | {"proofs": sorted(set(proofs))}), flush=True)
    walls.close()


if __name__ == "__main__":
    main()
