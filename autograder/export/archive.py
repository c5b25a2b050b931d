"""Many files as one zip, or in a folder; the same content gives the same bytes."""

import zipfile
from pathlib import Path

from autograder.replacing import replacing_bytes

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip's calendar


def write_zip(path: Path, files: dict[str, bytes]) -> None:
    """Write the files into a zip that takes the place of `path`. Raises `OSError`."""
    with replacing_bytes(path) as target, zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, FIRST_DAY)
            member.external_attr = 0o644 << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)


def write_folder(path: Path, files: dict[str, bytes]) -> None:
    """Write the files below a folder, each whole or not at all. Raises `OSError`."""
    for name, content in files.items():
        with replacing_bytes(path / name) as target:
            target.write(content)
