"""What was found, as a file for other programs: `.look-alikes.json` beside the verdicts."""

import json
from pathlib import Path

import msgspec

from autograder.files.writing import replacing
from autograder.staff.look_alikes.compare import AlikePair, Comparison
from autograder.staff.look_alikes.file import AlikeExercise, LookAlikes
from autograder.staff.look_alikes.file import AlikePair as KeptPair
from autograder.staff.look_alikes.signs import signs

DIGITS = 3  # of a share


def write_look_alikes(path: Path, assignment: str, found: Comparison, page: str | None) -> None:
    """Write what was found; it takes the place of an earlier one. Raises `OSError`."""
    kept = LookAlikes(
        assignment=assignment,
        identical=found.identical,
        pairs=[_pair(pair, found) for pair in found.pairs],
        pages=page,
    )
    with replacing(path) as file:
        json.dump(msgspec.to_builtins(kept), file, indent=1)
        file.write("\n")


def _pair(pair: AlikePair, found: Comparison) -> KeptPair:
    return KeptPair(
        students=pair.students,
        share=round(pair.most.share, DIGITS),
        by_chance=round(pair.most.by_chance, DIGITS),
        exercises=[AlikeExercise(one.id, round(one.share, DIGITS)) for one in pair.exercises],
        signs=signs(pair, found),
    )
