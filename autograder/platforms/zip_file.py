"""A zip whose bytes are the same whenever it is written."""

import zipfile
from collections.abc import Container
from pathlib import Path

from autograder.files import replacing_bytes

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip's calendar


def write_zip(path: Path, files: dict[str, bytes], executable: Container[str] = ()) -> None:
    """Write the files into a zip that takes the place of `path`. Raises `OSError`.

    Those whose names are `executable` may be run where the zip is unpacked.
    """
    with replacing_bytes(path) as target, zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, FIRST_DAY)
            member.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
