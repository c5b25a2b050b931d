"""The result store: what was graded, by the key of what determines it. It is written once and kept.

    results/.ledger/<assignment>/<key>.json     a verdict, and what the student's cells showed
    results/<assignment>/<student>.json         the verdict of one student, for others to read

Identical submissions have one key, and are graded once. The result of a key is replaced only by a
regrade, which first proposes another one; somebody who has seen what changes accepts it.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from autograder.engine.graded import Graded
from autograder.engine.verdict import Verdict, from_json
from autograder.files import read_end, read_named, replacing
from autograder.locks import locked

FOLDER = ".ledger"  # the name in folders of results that are there already
PROPOSED = ".proposed"
MAX_BYTES = 256 << 20  # of a result, whose pictures may have 32 MiB
AS_WRITTEN = b'{"verdict": {"schema": 1,'  # how a file begins that was written here,
END = b"}}"  # and how it ends


class _Kept(Struct):
    """A result as it is written."""

    verdict: Verdict
    outputs: dict[str, list[dict]]


DECODER = msgspec.json.Decoder(_Kept)


class ResultStore:
    """The results of one assignment in a folder of results."""

    def __init__(self, results: Path, assignment_id: str):
        self.folder = results / FOLDER / assignment_id

    @contextlib.contextmanager
    def exclusively(self) -> Iterator[None]:
        """Keep other runs out. Raises `Busy`, and `OSError` where nothing can be written."""
        sentence = (
            f"Another run is grading into `{self.folder.parents[1]}`: "
            "wait for it, or name other --results."
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / "lock", sentence):
            for file in self._proposals():  # of a regrade that was never accepted
                file.unlink()
            yield

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def has_whole(self, key: str) -> bool:
        """Whether there is a result with this key, whose file is there to its end: nobody reads it now."""
        try:
            return read_end(self._file(key), len(END)) == END
        except OSError:
            return False

    def get(self, key: str) -> Graded | None:
        """Return the result with this key, or None if there is none that can be read."""
        return _read(self._file(key))

    def put(self, key: str, graded: Graded) -> None:
        """Keep a result. Raises `OSError`."""
        _write(self._file(key), graded)

    def propose(self, key: str, graded: Graded) -> None:
        """Keep a result beside the one that is there. Raises `OSError`."""
        _write(self._proposal(key), graded)

    def proposed(self, key: str) -> Graded | None:
        """Return the result that was proposed for this key, or None if there is none."""
        return _read(self._proposal(key))

    def accept_proposals(self) -> None:
        """Replace results by those that were proposed. Raises `OSError`."""
        for file in self._proposals():
            os.replace(file, self._file(file.name.removesuffix(PROPOSED)))

    def _proposals(self) -> list[Path]:
        return list(self.folder.glob(f"*{PROPOSED}"))

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _proposal(self, key: str) -> Path:
        return self.folder / f"{key}{PROPOSED}"


def _write(path: Path, graded: Graded) -> None:
    text = json.dumps({"verdict": graded.verdict.to_json(), "outputs": graded.outputs})
    with replacing(path) as file:
        file.write(text)


def _read(path: Path) -> Graded | None:
    try:
        data = read_named(path, MAX_BYTES)
        if data.startswith(AS_WRITTEN):  # several times as fast
            with contextlib.suppress(msgspec.DecodeError):
                kept = DECODER.decode(data)
                return Graded(kept.verdict, kept.outputs)
        content = json.loads(data)
        verdict, outputs = from_json(content["verdict"]), content["outputs"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return Graded(verdict, outputs) if _are_outputs(outputs) else None


def _are_outputs(outputs: object) -> bool:
    return isinstance(outputs, dict) and all(
        isinstance(shown, list) and all(isinstance(one, dict) for one in shown)
        for shown in outputs.values()
    )
