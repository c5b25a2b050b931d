"""Any zip is files within the caps and sentences about the rest, or it is no download; never more."""

import contextlib
import io
import struct
import warnings
import zipfile

from downloads import BOOK, WHEN, entry, ours, zipped
from hypothesis import given
from hypothesis import strategies as st

from autograder import AutograderError
from autograder.platforms.collect import archive
from autograder.platforms.download import Caps, Download, FileRefused, Left

CAPS = Caps(files=12, depth=4, file_bytes=2_000)
LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
FIELDS = {  # offsets and widths of what a header says, after its signature
    LOCAL: [(4, 2), (6, 2), (8, 2), (10, 2), (12, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)],
    CENTRAL: [
        *((4, 2), (6, 2), (8, 2), (10, 2), (12, 2), (14, 2), (16, 4), (20, 4), (24, 4), (28, 2)),
        *((30, 2), (32, 2), (34, 2), (36, 2), (38, 4), (42, 4)),
    ],
    END: [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)],
}
VALUES = [0, 1, 2, 8, 9, 12, 14, 20, 45, 93, 95, 99, 255, 0x800, 0x801, 0xFFFF, 0x7FFFFFFF]
EXTRAS = [
    b"",
    b"\x01",
    b"UT\x05\x00\x01\xff\xff\xff\xff",
    b"UT\x09\x00\x01",
    b"\x01\x00\x08\x00" + b"\xff" * 8,  # zip64: a size that nothing has
    b"\x01\x00\x04\x00\x00\x00\x00\x00",
    b"up\x08\x00\x01\x00\x00\x00\x00a/b",  # a name in Unicode besides
    b"\x99\x99\xff\xff",
]
names = st.text(st.sampled_from("ab/\\.:_~ \0\n\u202eé\U0001f600"), min_size=1, max_size=12)
names |= st.sampled_from(
    ["../x.ipynb", "/etc/x.ipynb", "C:\\x.ipynb", "a/" * 6 + BOOK, BOOK, ".ipynb"]
)
contents = st.binary(max_size=50) | st.sampled_from(
    [ours(), b"\0" * 1_999, b"\0" * 2_001, zipped({BOOK: b"x"})]
)


@st.composite
def members(draw):
    """A member with an odd name, kind, time, extra field or comment."""
    info = entry(draw(names), draw(st.just(WHEN) | st.just((1980, 1, 1, 0, 0, 0))))
    info.compress_type = draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    info.external_attr = (
        draw(st.sampled_from([0o100644, 0o120777, 0o010644, 0o040755, 0, 0xFFFF])) << 16
    )
    info.create_system = draw(st.sampled_from([0, 3, 10, 255]))
    info.extra, info.comment = draw(st.sampled_from(EXTRAS)), draw(st.binary(max_size=8))
    return info, draw(contents)


@st.composite
def archives(draw) -> bytes:
    """Zips with odd members and headers that lie, some of their bytes changed."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as packed:
        warnings.simplefilter("ignore")  # one name twice
        for info, data in draw(st.lists(members(), max_size=5)):
            packed.writestr(info, data)
        packed.comment = draw(st.sampled_from([b"", CENTRAL * 20, END + bytes(18), b"x" * 100]))
    out = bytearray(draw(st.sampled_from([b"", b"", b"junk", LOCAL])) + file.getvalue())
    for _ in range(draw(st.integers(0, 3))):
        _lie(draw, out)
    for _ in range(draw(st.sampled_from([0, 0, 0, 2]))):
        out[draw(st.integers(0, len(out) - 1))] = draw(st.integers(0, 255))
    return bytes(out[: draw(st.none() | st.integers(0, len(out)))])


def _lie(draw, out: bytearray) -> None:
    """Write a value of no sense into a field of one of the headers."""
    kind = draw(st.sampled_from([LOCAL, CENTRAL, END]))
    places = [at for at in range(len(out)) if out.startswith(kind, at)]
    if places:
        at = draw(st.sampled_from(places))
        offset, width = draw(st.sampled_from(FIELDS[kind]))
        if at + offset + width <= len(out):
            value = draw(st.sampled_from(VALUES) | st.integers(0, 2 ** (8 * width) - 1))
            value %= 2 ** (8 * width)
            struct.pack_into("<H" if width == 2 else "<I", out, at + offset, value)


@given(archives() | st.binary(max_size=300), st.booleans())
def test_any_zip_is_files_within_caps_or_no_download(tmp_path_factory, data, is_handed_in):
    """The caps hold, and what is refused is said in a line."""
    path = tmp_path_factory.mktemp("fuzzed") / "x.zip"
    path.write_bytes(data)
    try:
        if is_handed_in:
            download = archive.open_inner(data, "hw.zip", CAPS)
        else:
            download = archive.open_download(path, CAPS)
    except AutograderError as error:
        download = Download("", [], [Left("", str(error))])
    assert len(download.files) <= CAPS.files
    for file in download.files:
        assert 0 < len(file.parts) <= CAPS.depth + 1
        for part in file.parts:
            assert part not in ("", ".", "..") and not set(part) & set("/\\\0\n")
            part.encode()
        with contextlib.suppress(FileRefused):
            assert len(file.read()) <= CAPS.file_bytes
    assert all("\n" not in left.sentence for left in download.refused)
    assert [file.name for file in path.parent.iterdir()] == ["x.zip"]
