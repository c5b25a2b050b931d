"""What is exported twice is the same twice."""

import zipfile
from io import BytesIO

from autograder.platforms.zip_file import FIRST_DAY, write_zip


def test_a_zip_has_the_same_bytes_each_time(tmp_path):
    content = {"a.txt": b"one", "folder/b.txt": b"two" * 1_000}
    write_zip(tmp_path / "one.zip", content)
    write_zip(tmp_path / "two.zip", content)
    data = (tmp_path / "one.zip").read_bytes()
    assert data == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == content
        assert {entry.date_time for entry in archive.infolist()} == {FIRST_DAY}
