"""Write a zip of any size, whose bytes depend on its content alone."""

import zipfile
from collections.abc import Iterable
from pathlib import Path

from autograder.files.writing import replacing_bytes
from autograder.platforms.feedback import FIRST_DAY


def write_zip(path: Path, members: Iterable[tuple[str, bytes]]) -> int:
    """Write a zip with these members, given by path and content, one after the other; return their
    number. Nothing is written if one of them raises. Raises `OSError` if it cannot be written.
    """
    count = 0
    with replacing_bytes(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, FIRST_DAY)
            info.external_attr = 0o600 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
            count += 1
    return count
