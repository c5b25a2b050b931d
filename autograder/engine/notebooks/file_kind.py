"""Recognise the kind of a file by its first bytes, not by its name."""

HEAD = 512  # bytes that decide the kind
TAR = 257, b"ustar"  # offset and mark of a tar archive
WEB_PAGE = "a web page"
ZIP = "a zip archive"
ARCHIVES = {
    b"PK\x03\x04": ZIP,
    b"PK\x05\x06": ZIP,  # empty
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x1f\x8b": "a gzip archive (.tar.gz)",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
}
OTHERS = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"{\\rtf": "an RTF document",
    b"\xd0\xcf\x11\xe0": "an Office document",
}


def file_kind(data: bytes) -> str:
    """Return the kind of file that begins with these bytes, such as "a PDF", or "" if unknown."""
    head = data[:HEAD]
    at, name = TAR
    if head[at : at + len(name)] == name:
        return "a tar archive"
    for first, kind in (ARCHIVES | OTHERS).items():
        if head.startswith(first):
            return kind
    return WEB_PAGE if head.lstrip().startswith(b"<") else ""


def is_archive(kind: str) -> bool:
    """Whether `kind`, a result of `file_kind`, is a file that contains other files."""
    return "archive" in kind
