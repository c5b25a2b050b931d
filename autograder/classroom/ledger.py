"""The ledger: what was graded, by the key of what determines it. It is written once and kept.

    results/.ledger/<assignment>/<key>.json     a verdict, and what the student's cells showed
    results/<assignment>/<student>.json         the verdict of one student, for others to read

Identical submissions have one key, and are graded once. What a key says is replaced only by a regrade,
which proposes first and settles when somebody has seen what changes.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.alone import alone
from autograder.graded import Graded
from autograder.replacing import replacing
from autograder.verdict import from_json

PROPOSED = ".proposed"


class Ledger:
    """The outcomes of one assignment in a results folder."""

    def __init__(self, results: Path, assignment_id: str):
        self.folder = results / ".ledger" / assignment_id

    @contextlib.contextmanager
    def mine(self) -> Iterator[None]:
        """Keep other runs out. Raises `Busy`, and `OSError` where nothing can be written."""
        sentence = (
            f"Another run is grading into `{self.folder.parents[1]}`: "
            "wait for it, or name other --results."
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        with alone(self.folder / "lock", sentence):
            for file in self._proposals():  # of a regrade that nobody settled
                file.unlink()
            yield

    def __contains__(self, key: str) -> bool:
        return self._file(key).is_file()

    def get(self, key: str) -> Graded | None:
        """Return what is known under this key, or None if nothing is that can be read."""
        return _read(self._file(key))

    def put(self, key: str, graded: Graded) -> None:
        """Keep what came out. Raises `OSError`."""
        _write(self._file(key), graded)

    def propose(self, key: str, graded: Graded) -> None:
        """Keep what came out beside what is known. Raises `OSError`."""
        _write(self._file(key + PROPOSED), graded)

    def proposed(self, key: str) -> Graded | None:
        return _read(self._file(key + PROPOSED))

    def settle(self) -> None:
        """Have all that was proposed take the place of what was known. Raises `OSError`."""
        for file in self._proposals():
            os.replace(file, file.with_name(file.name.removesuffix(PROPOSED) + ".json"))

    def _proposals(self) -> list[Path]:
        return list(self.folder.glob(f"*{PROPOSED}"))

    def _file(self, name: str) -> Path:
        return self.folder / (name if name.endswith(PROPOSED) else f"{name}.json")


def _write(path: Path, graded: Graded) -> None:
    text = json.dumps({"verdict": graded.verdict.to_json(), "outputs": graded.outputs})
    with replacing(path) as file:
        file.write(text)


def _read(path: Path) -> Graded | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Graded(from_json(content["verdict"]), content["outputs"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
