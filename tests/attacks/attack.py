"""The attacks as data, what is expected of each, and the proof that it ran.

An attack stands below a line `# %% name`: it is a cell of its own with a wrong solution below it
(in_cell.py), or the body of a wrong `forward` (in_forward.py); in `layer-norm`, the body of a student's own
test (in_test.py), or a cell of values or of functions that answer such (in_value.py); in `modern-block`, a
cell (in_block.py). It proves how far it got by `prove(...)`, which writes a frame on the only line that leads out, the channel. Comments at its top
say what must come of it:

    # cell: the exercise that it stands in (attention)
    # state: of that exercise (answered)
    # lost: the exercise that loses its points, or "all" (the one that it stands in)
    # keeps: points that it earns all the same (0)
    # prints: a pattern of what its cell showed
    # says: words of a message in the verdict
    # proof: a pattern; one of its proofs is this. Every attack has one
    # landlock: the pattern behind Landlock, where a file is not missing but closed, if it differs
    # unwalled: a pattern of a proof where there are no walls (see unwalled.py), and never behind them
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.variants import cells_of
from autograder.engine.limits import LANDLOCK

HERE = Path(__file__).parent
ASSIGNMENTS = {  # by file
    "in_cell": "encoder-layer",
    "in_forward": "encoder-layer",
    "in_test": "layer-norm",
    "in_value": "layer-norm",
    "in_block": "modern-block",
}
ATTACKS = {  # by file and name
    f"{file}/{name}": text
    for file in ASSIGNMENTS
    for name, text in cells_of(HERE / f"{file}.py").items()
}
NOTE = re.compile(r"# (cell|state|lost|keeps|prints|says|proof|landlock|unwalled): (.*)\n")
PROVE = """
def prove(*words):
    import json, os, struct
    head = json.dumps({"proof": " ".join(map(str, words))[:4000]}).encode()
    os.write(3, struct.pack(">II", len(head), 0) + head)
"""
WRONG = """
class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()

    def forward(self, query, key, value, attention_mask=None):
{body}
        return query
"""
WRONG_TEST = """
def depends_on(norm, x):
{body}
"""


@dataclass
class Attack:
    """One attack: its cell, and what is expected of grading it."""

    source: str
    proof: str
    assignment: str = "encoder-layer"
    cell: str = "attention"
    state: str = "answered"
    lost: str = ""
    keeps: str = "0"
    prints: str = ""
    says: str = ""
    landlock: str = ""
    unwalled: str = ""

    def unmet(self, outcome: dict, level: str) -> list[str]:
        """Return which expectations this outcome of worker.py does not meet. `level`: the kind of
        walls that it ran behind.
        """
        proof = self.landlock if level == LANDLOCK and self.landlock else self.proof
        exercises = {exercise["id"]: exercise for exercise in outcome["verdict"]["exercises"]}
        own = exercises[self.cell]
        losers = exercises if self.lost == "all" else [self.lost or self.cell]
        expected = {name: exercises[name]["max_points"] - float(self.keeps) for name in losers}
        lost = {name: one["max_points"] - one["points"] for name, one in exercises.items()}
        messages = " ".join(check["message"] or "" for check in own["checks"])
        met = {
            "proof": proves(proof, outcome["proofs"]),
            "never": not self.unwalled or not proves(self.unwalled, outcome["proofs"]),
            "lost": {name: points for name, points in lost.items() if points} == expected,
            "state": own["state"] == self.state,
            "prints": re.search(self.prints, outcome["shown"]),
            "says": self.says in messages,
            "numbers": "[[" not in messages,  # of a hidden tensor
            "scripts": not re.search("text/html|javascript", outcome["shown"]),
        }
        return [name for name, holds in met.items() if not holds]


def proves(pattern: str, proofs: list[str]) -> bool:
    """Whether one of these proofs is of this pattern."""
    return any(re.fullmatch(pattern, proof) for proof in proofs)


def read_attack(name: str) -> Attack:
    """Read an attack. Raises `TypeError` where it says no proof."""
    text, file = ATTACKS[name], name.partition("/")[0]
    notes = {"assignment": ASSIGNMENTS[file]}
    if file in ("in_value", "in_block"):
        source = text
    elif file == "in_test":
        source = WRONG_TEST.format(body=textwrap.indent(text, " " * 4))
        notes["cell"] = "who_depends"
    elif file == "in_cell":
        own = "\n# cell: " in f"\n{text}"  # a wrong solution of its own, of that exercise
        source = text if own else text + WRONG.format(body="        pass")
    else:
        source = WRONG.format(body=textwrap.indent(text, " " * 8))
    return Attack(PROVE + source, **notes | dict(NOTE.findall(text)))


def first_of_each_state() -> set[str]:
    """The names of the first attacks that end in each of the states that any attack ends in."""
    firsts = {read_attack(name).state: name for name in reversed(ATTACKS)}
    return set(firsts.values())
