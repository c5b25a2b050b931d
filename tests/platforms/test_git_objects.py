"""Clones are data: whatever is in one, git runs nothing of it and reads nothing elsewhere."""

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha1
from itertools import pairwise
from pathlib import Path

import pytest
from dulwich.pack import write_pack_index_v2
from repositories import commit, commit_tree, git

from autograder.engine import limits
from autograder.platforms import git_objects
from autograder.platforms.git_objects import Clone, CloneRefused

pytestmark = pytest.mark.slow


@pytest.fixture
def work(tmp_path) -> Path:
    """A repository with one file, and one folder above it that staff named."""
    folder = tmp_path / "clones" / "sheet-ada"
    commit(folder, {"sheet.ipynb": b"{}"})
    return folder


def clone(folder: Path) -> Clone:
    return Clone(folder, folder.parent)


def contents(one: Clone, most: int = 1000) -> dict[str, bytes]:
    files, _ = one.submission()
    return {file.name: one.read(file, most) for file in files if file.is_regular}


def counted(folder: Path, by: datetime | None = None) -> tuple[bytes, datetime | None]:
    """The notebook that counts, and the time of its tag."""
    (file,), tagged = clone(folder).submission(by)
    return clone(folder).read(file, 1000), tagged


def test_the_newest_commit_is_read_whatever_the_work_tree_holds(work):
    commit(work, {"a/ü b.ipynb": b"[1]"})
    (work / "sheet.ipynb").write_bytes(b"changed")
    assert contents(clone(work)) == {"sheet.ipynb": b"{}", "a/ü b.ipynb": b"[1]"}


def test_packed_and_shallow_clones_are_read(work, tmp_path):
    commit(work, {"sheet.ipynb": b"[2]"}, when="2026-11-21T12:00:00+01:00")
    git(work, "gc", "--quiet")
    git(work, "pack-refs", "--all")
    assert contents(clone(work)) == {"sheet.ipynb": b"[2]"}
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{work}", str(tmp_path / "c" / "ada"))
    shallow = tmp_path / "c" / "ada"
    assert contents(clone(shallow)) == {"sheet.ipynb": b"[2]"}


HARMFUL = """
[core]
	repositoryformatversion = 99
	fsmonitor = touch {ran}
	sshCommand = touch {ran}
	pager = touch {ran}
	editor = touch {ran}
	hooksPath = {hooks}
	worktree = /
	attributesFile = {hooks}/attributes
[filter "evil"]
	smudge = touch {ran}
	clean = touch {ran}
	process = touch {ran}
[diff "evil"]
	textconv = touch {ran}
	command = touch {ran}
[log]
	showSignature = true
[gpg]
	program = {hooks}/post-checkout
[include]
	path = {hooks}/more
[alias]
	ls-tree = !touch {ran}
	cat-file = !touch {ran}
	log = !touch {ran}
[remote "origin"]
	promisor = true
	url = ext::sh -c touch% {ran}
[extensions]
	partialClone = origin
"""


def test_nothing_of_a_clones_settings_hooks_and_attributes_is_obeyed(work, tmp_path):
    """They are not even read: git would refuse a repository of version 99."""
    ran, hooks = tmp_path / "ran", work / ".git" / "hooks"
    commit(work, {".gitattributes": b"* filter=evil diff=evil\n", ".mailmap": b"<x> <y>\n"})
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    (hooks / "more").write_text(f"[core]\n\tfsmonitor = touch {ran}\n")
    (work / ".git" / "config").write_text(HARMFUL.format(ran=ran, hooks=hooks))
    assert contents(clone(work))["sheet.ipynb"] == b"{}"
    assert not ran.exists()


def test_the_commands_would_be_run_by_git_in_the_clone_itself(work, tmp_path):
    """The harmful settings above are harmful: git obeys them where it works in the clone."""
    ran = tmp_path / "ran"
    (work / ".git" / "config").write_text(f"[core]\n\tfsmonitor = touch {ran}\n")
    git(work, "status")
    assert ran.exists()


def test_objects_of_others_are_refused(work, tmp_path):
    others = tmp_path / "staff"
    commit(others, {"grader.py": b"secret"})
    info = work / ".git" / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{others}/.git/objects\n")
    with pytest.raises(CloneRefused, match="links to objects elsewhere"):
        clone(work).submission()
    (info / "alternates").unlink()
    (work / ".git" / "objects" / "ff").mkdir(exist_ok=True)
    (work / ".git" / "objects" / "ff" / ("0" * 38)).symlink_to(tmp_path / "anything")
    with pytest.raises(CloneRefused, match="links to objects elsewhere"):
        clone(work).submission()


@pytest.mark.parametrize("name", [".git", ".git/objects", ".git/HEAD", ".git/refs"])
def test_links_to_another_repository_are_refused(work, tmp_path, name):
    others = tmp_path / "staff"
    commit(others, {"grader.py": b"secret"})
    os.rename(work / name, tmp_path / "away")
    (work / name).symlink_to(others / name)
    with pytest.raises(CloneRefused):
        contents(clone(work))
    (work / name).unlink()
    (work / name).write_text(f"gitdir: {tmp_path}/away\n")  # as in a submodule
    with pytest.raises(CloneRefused):
        contents(clone(work))


@pytest.mark.parametrize(
    "head",
    [
        "ref: refs/heads/../../../staff",
        "ref: /etc/passwd",
        "--help",
        "",
        "ref: refs/heads/.invalid",
    ],
)
def test_a_head_that_leads_elsewhere_is_refused(work, head):
    (work / ".git" / "HEAD").write_text(head + "\n")
    with pytest.raises(CloneRefused):
        clone(work).submission()


def test_a_tree_that_unfolds_without_end_is_cut_off(work, monkeypatch):
    """Ten entries on each of ten levels are ten billion files, in a kilobyte."""
    blob = git(work, "hash-object", "-w", "--stdin", data=b"x")
    tree = git(
        work,
        "mktree",
        data=b"".join(b"100644 blob %s\tf%d\n" % (blob.encode(), i) for i in range(10)),
    )
    for _ in range(9):
        lines = b"".join(b"040000 tree %s\td%d\n" % (tree.encode(), i) for i in range(10))
        tree = git(work, "mktree", data=lines)
    git(work, "update-ref", "refs/heads/main", git(work, "commit-tree", tree, "-m", "bomb"))
    monkeypatch.setattr(git_objects, "MOST_TEXT", 1 << 20)
    with pytest.raises(CloneRefused, match="holds more than"):
        clone(work).submission()


def test_a_file_is_read_up_to_the_cap(work):
    commit(work, {"big.ipynb": bytes(5_000)})
    with pytest.raises(CloneRefused, match="more than the 1000 bytes"):
        contents(clone(work))


def test_a_replaced_object_is_not_believed(work):
    blob = git(work, "rev-parse", "HEAD:sheet.ipynb")
    other = git(work, "hash-object", "-w", "--stdin", data=b"other")
    git(work, "replace", blob, other)
    assert contents(clone(work)) == {"sheet.ipynb": b"{}"}


def test_a_history_that_takes_too_long_is_refused(work, monkeypatch):
    """Each of fifty notebooks is looked for in ten thousand commits."""
    files = "".join(f"M 644 inline {n}.ipynb\ndata 2\n{{}}\n" for n in range(50))
    head = "commit refs/heads/main\ncommitter a <a> {} +0000\ndata 0\n"
    later = "".join(map(head.format, range(1, 10_000)))
    git(work, "fast-import", "--quiet", "--force", data=f"{head.format(0)}{files}{later}".encode())
    monkeypatch.setattr(git_objects, "SECONDS", 1)
    with pytest.raises(CloneRefused, match="takes more than 1 s of the processor"):
        clone(work).submission()


def hostile_commit(work: Path, name: str) -> None:
    """Let the branch be a commit with this file, whose content is an object that is not there yet."""
    commit_tree(work, f"100644 blob {name}\tsheet.ipynb\n")


def pack(work: Path, objects: list[tuple[str, bytes]]) -> None:
    """Write a pack with what stands for these objects, and its index."""
    data, rows = b"PACK" + struct.pack(">LL", 2, len(objects)), []
    for name, entry in objects:
        rows.append((bytes.fromhex(name), len(data), zlib.crc32(entry)))
        data += entry
    data += sha1(data).digest()
    folder = work / ".git" / "objects" / "pack"
    folder.mkdir(exist_ok=True)
    (folder / "pack-evil.pack").write_bytes(data)
    with (folder / "pack-evil.idx").open("wb") as file:
        write_pack_index_v2(file, sorted(rows), data[-20:])


def number(value: int) -> bytes:
    digits = [value >> 7 * i & 127 for i in range(max(1, -(-value.bit_length() // 7)))]
    return bytes([*(digit | 128 for digit in digits[:-1]), digits[-1]])


def entry(kind: int, size: int, data: bytes, base: bytes = b"") -> bytes:
    """An object in a pack that says this size."""
    return number(kind << 4 | size & 15 | size >> 4 << 7) + base + zlib.compress(data, 9)


def delta(before: int, after: int, work: bytes) -> bytes:
    return number(before) + number(after) + work


@contextmanager
def little_memory() -> Iterator[None]:
    """Of this process, at most 50 MB more at any time than when it begins."""
    clear = Path("/proc/self/clear_refs")
    if not clear.exists():  # no Linux
        yield
        return
    clear.write_text("5")
    before = peak()
    yield
    assert peak() - before < 50_000


def peak() -> int:
    """Kilobytes of memory that this process has had since it was last cleared."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


REFUSED = "is damaged|holds more than|cannot be read"
A, B, C = "a" * 40, "b" * 40, "c" * 40
COPY = b"\xf0\xff\xff\xff"  # of 16 MiB less one byte, from the beginning
ALL = COPY + b"\x97\xff\xff\xff\x01"  # and of the last


def chain() -> list[tuple[str, bytes]]:
    """A thousand deltas, each of which makes 16 MB of the last: 16 GB, in 40 kB."""
    same = delta(1 << 24, 1 << 24, COPY + b"\x01x")  # 16 MiB less one byte, and one
    names = [*(f"{i:040x}" for i in range(1000)), A]
    return [(names[0], entry(3, 1 << 24, bytes(1 << 24)))] + [
        (name, entry(7, len(same), same, bytes.fromhex(before))) for before, name in pairwise(names)
    ]


BOMBS = {  # made in the test: it takes seconds
    "a blob that says 300 MB, of 300 kB": lambda: [(A, entry(3, 300 << 20, bytes(300 << 20)))],
    "a blob of 64 MB that says 10 bytes": lambda: [(A, entry(3, 10, bytes(64 << 20)))],
    "a size that is no end of a number": lambda: [(A, b"\xbf" + b"\xff" * 100_000)],
    "a delta far away": lambda: [(A, entry(6, 10, b"1234567890", b"\xff" * 100_000 + b"\x01"))],
    "a delta before the pack": lambda: [(A, entry(6, 10, b"1234567890", b"\xff\x7f"))],
    "a delta of nothing": lambda: [(A, entry(7, 10, b"1234567890", bytes.fromhex(C)))],
    "a delta of itself": lambda: [(A, entry(7, 10, b"1234567890", bytes.fromhex(A)))],
    "two deltas of each other": lambda: [
        (A, entry(7, 10, b"1234567890", bytes.fromhex(B))),
        (B, entry(7, 10, b"1234567890", bytes.fromhex(A))),
    ],
    "a delta that makes an exabyte": lambda: [
        (A, entry(7, len(one := delta(1, 1 << 60, b"")), one, bytes.fromhex(B))),
        (B, entry(3, 1, b"x")),
    ],
    "a delta that makes 3 GB of 16 MB": lambda: [
        (A, entry(7, len(two := delta(1 << 24, 3 << 30, COPY * 192)), two, bytes.fromhex(B))),
        (B, entry(3, 1 << 24, bytes(1 << 24))),
    ],
    "a delta that makes a byte of one that makes 300 MB": lambda: [
        (A, entry(7, len(small := delta(19 << 24, 1, b"\x90\x01")), small, bytes.fromhex(B))),
        (B, entry(7, len(many := delta(1 << 24, 19 << 24, ALL * 19)), many, bytes.fromhex(C))),
        (C, entry(3, 1 << 24, bytes(1 << 24))),
    ],
    "a chain of deltas": chain,
    "an object of no kind": lambda: [(A, entry(5, 1, b"x"))],
    "another content than its name says": lambda: [(A, entry(3, 2, b"{}"))],
}


@pytest.mark.parametrize("objects", BOMBS.values(), ids=BOMBS)
def test_a_pack_that_bursts_costs_this_process_nothing(work, monkeypatch, objects):
    """Less than 50 MB in memory here, and a few seconds of another process, whatever it says."""
    hostile_commit(work, A)
    pack(work, objects())
    monkeypatch.setattr(git_objects, "SECONDS", 3)
    with little_memory(), pytest.raises(CloneRefused, match=REFUSED):
        contents(clone(work))


def loose(work: Path, name: str, data: bytes) -> None:
    path = work / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"blob 10\0", 64 << 20),
        (b"blob 999999999999\0", 100),
        (b"blob -5\0", 100),
        (b"blob " + b"1" * 5_000_000 + b"\0", 0),
        (b"blob", 64 << 20),
        (b"commit 2\0{}", 0),
        (b"blob 2\0{}", 0),
        (b"", 0),
    ],
)
def test_an_object_of_its_own_that_bursts_or_lies_is_refused(work, begin, more):
    hostile_commit(work, A)
    loose(work, A, zlib.compress(begin + bytes(more), 9))
    with little_memory(), pytest.raises(CloneRefused, match=REFUSED):
        contents(clone(work))


def test_a_file_without_end_is_not_read(work):
    """A terabyte of holes takes no room on a disk."""
    hostile_commit(work, A)
    loose(work, A, b"")
    os.truncate(work / ".git" / "objects" / A[:2] / A[2:], 1 << 40)
    with pytest.raises(CloneRefused, match="is damaged"):
        contents(clone(work))
    pack(work, [(A, entry(3, 2, b"{}"))])
    os.truncate(work / ".git" / "objects" / "pack" / "pack-evil.pack", 1 << 40)
    with pytest.raises(CloneRefused, match="is damaged"):
        contents(clone(work))


def test_what_leads_elsewhere_by_a_name_in_a_file_is_not_followed(work, tmp_path):
    """Another folder for objects and references, settings included, grafts, indexes that lie."""
    others = tmp_path / "staff"
    secret = commit(others, {"sheet.ipynb": b"secret"})
    git_folder = work / ".git"
    (git_folder / "commondir").write_text(f"{others}/.git\n")
    (git_folder / "config").write_text(f"[include]\n\tpath = {others}/.git/config\n")
    (git_folder / "info").mkdir(exist_ok=True)
    (git_folder / "info" / "grafts").write_text(f"{git(work, 'rev-parse', 'HEAD')} {secret}\n")
    for name in ("info/commit-graph", "pack/multi-pack-index"):
        path = git_folder / "objects" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"CGPHMIDX" * 1000)
    (git_folder / "refs" / "heads" / "main").unlink()
    with pytest.raises(CloneRefused, match="nothing was pushed"):
        contents(clone(work))
    (git_folder / "HEAD").write_text(f"{secret}\n")
    with pytest.raises(CloneRefused, match="is damaged"):
        contents(clone(work))


def test_a_clone_without_its_blobs_says_so_where_one_is_asked_for(work, tmp_path):
    git(work, "config", "uploadpack.allowFilter", "true")
    folder = tmp_path / "partial" / "ada"
    git(
        tmp_path,
        "clone",
        "--quiet",
        "--no-checkout",
        "--filter=blob:none",
        f"file://{work}",
        str(folder),
    )
    one = clone(folder)
    (file,), _ = one.submission()
    assert file.name == "sheet.ipynb"
    with pytest.raises(CloneRefused, match="is damaged"):
        one.read(file, 1000)


def test_every_bit_of_a_pack_may_be_another(work):
    """Whatever dulwich makes of it: a sentence, and nothing that is not in the student's work."""
    commit(work, {"sheet.ipynb": b"{}" * 500, "a/b.txt": b"x"})
    commit(work, {"sheet.ipynb": b"{}" * 500 + b"more"})
    git(work, "gc", "--quiet")
    for path in (work / ".git" / "objects" / "pack").glob("*.[pi][ad][cx]*"):
        path.chmod(0o644)
        whole = path.read_bytes()
        for place in range(0, len(whole), 17):
            path.write_bytes(
                whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]
            )
            with suppress(CloneRefused, limits.OutOfBounds):
                assert limits.run_bounded(lambda: contents(clone(work), 10_000))["a/b.txt"] == b"x"
        path.write_bytes(whole)


def test_a_tag_of_a_submission_says_the_commit_and_the_time(work):
    first = git(work, "rev-parse", "HEAD")
    git(work, "tag", f"submit/2026-11-20T11-30-00Z-{first[:7]}")
    commit(work, {"sheet.ipynb": b"[2]"}, when="2026-11-21T12:00:00+01:00")
    assert counted(work) == (b"{}", datetime(2026, 11, 20, 11, 30, tzinfo=UTC))
    git(work, "tag", "-m", "with a message", "submit/2026-11-21T11-30-00Z")
    git(work, "tag", "submit/2026-13-77T11-30-00Z", first)
    git(work, "pack-refs", "--all")
    assert counted(work) == (b"[2]", datetime(2026, 11, 21, 11, 30, tzinfo=UTC))
    assert counted(work, datetime(2026, 11, 21, tzinfo=UTC))[0] == b"{}"
