"""Downloads that somebody made to do harm: plain files are read, up to a cap, and nothing else."""

import io
import os
import stat
import struct
import zipfile

import pytest
from downloads import BOOK, ID, collect_words, entry, on_disk, ours, zipped
from hypothesis import given
from hypothesis import strategies as st

from autograder._commands.main import main
from autograder.engine import limits
from autograder.platforms.collect import archive
from autograder.platforms.download import Caps, FileRefused, reader

pytestmark = pytest.mark.slow

GOOD = f"Ben Mask_7_assignsubmission_file/{BOOK}"
EVIL = "Eve_8_assignsubmission_file"
ONE_OF_EVE = {f"{EVIL}/{BOOK}": ours("evil")}
LINK = entry(BOOK, mode=stat.S_IFLNK | 0o777)


def with_flag(data: bytes, flag: int) -> bytes:
    """Set a flag of every entry, in both places."""
    out = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = out.find(signature)
        while at >= 0:
            (flags,) = struct.unpack_from("<H", out, at + offset)
            struct.pack_into("<H", out, at + offset, flags | flag)
            at = out.find(signature, at + 4)
    return bytes(out)


def lying(data: bytes, member: int, size: int, also_local: bool = True) -> bytes:
    """Let an entry say that it has another size than it has."""
    out = bytearray(data)
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22))[: 2 if also_local else 1]:
        at = -1
        for _ in range(member + 1):
            at = out.find(signature, at + 1)
        struct.pack_into("<I", out, at + offset, size)
    return bytes(out)


def nested_bomb() -> bytes:
    bomb = zipped({"0.ipynb": b"\0" * (1 << 20)})
    for _ in range(5):
        bomb = zipped({f"{n}.zip": bomb for n in range(8)})
    return bomb


def large_inside() -> bytes:
    return lying(zipped({"big.ipynb": b"\0" * 1_000}), 0, 257 << 20)


def of_kind(mode: int) -> list:
    return [(entry(f"{EVIL}/{BOOK}", mode=mode), b"../../../bystander.txt")]


def lzma() -> list:
    packed = entry(f"{EVIL}/{BOOK}")
    packed.compress_type = zipfile.ZIP_LZMA
    return [(packed, ours())]


def handed_in(inner: bytes) -> dict:
    return {f"{EVIL}/hw.zip": inner}


NAMES = [
    f"../../{EVIL}/{BOOK}",
    f"{EVIL}/../../../evil.ipynb",
    f"/tmp/{EVIL}/{BOOK}",
    f"C:\\{EVIL}\\{BOOK}",
    f"..\\..\\{EVIL}\\{BOOK}",
    f"{EVIL}/..\\..\\evil.ipynb",
    f"{EVIL}/a\nb.ipynb",
    f"{EVIL}/a\x1b[2Jb.ipynb",
    f"{EVIL}/" + "a" * 300 + ".ipynb",
    "a/" * 40 + f"{EVIL}/{BOOK}",
]
HARMFUL = [  # members of the zip, beside an honest one, and what is said of them
    *(({name: ours("evil")}, "was not read") for name in NAMES),
    (of_kind(stat.S_IFLNK | 0o777), "is a link or a device"),
    (of_kind(stat.S_IFCHR | 0o666), "is a link or a device"),
    (of_kind(stat.S_IFBLK), "is a link or a device"),
    (of_kind(stat.S_IFIFO), "is a link or a device"),
    (of_kind(stat.S_IFSOCK), "is a link or a device"),
    (lzma(), "an ordinary zip"),
    (handed_in(nested_bomb()), "an archive in an archive"),
    (handed_in(with_flag(zipped({BOOK: ours()}), 0x1)), "is encrypted"),
    (handed_in(zipped([(LINK, b"/etc/passwd")])), "is a link or a device"),
    (handed_in(zipped({f"../{BOOK}": ours("evil")})), "leads out of the download"),
    (handed_in(large_inside()), "256 MiB are read"),
    (handed_in(b"PK\x01\x02" * 5_001), "has more than 5000 members"),
    (handed_in(b"PK\x01\x02" * 5_000), "is not a zip"),
]


@pytest.mark.parametrize(("members", "reason"), HARMFUL)
def test_what_is_no_honest_file_is_listed_and_not_read(collect_hostile, members, reason):
    pairs = members.items() if isinstance(members, dict) else members
    status, said, graded = collect_hostile([(GOOD, ours(1)), *pairs])
    assert status == 3 and graded == {"ben-mask-7": ours(1)}
    assert reason in said and "\x1b" not in said


LIES = [
    (10, True, "is damaged or cannot be read"),
    (10, False, "is damaged or cannot be read"),
    (3_000_000_000, True, "says that it has 2861 MiB"),
    (3_000_000_000, False, "says that it has 2861 MiB"),
]


@pytest.mark.parametrize(("size", "also_local", "reason"), LIES)
def test_a_member_that_lies_about_its_size_is_listed(collect_hostile, size, also_local, reason):
    data = zipped({GOOD: ours(1)} | ONE_OF_EVE)
    status, said, graded = collect_hostile(lying(data, 1, size, also_local))
    assert status == 3 and reason in said and set(graded) == {"ben-mask-7"}


def test_a_name_that_ends_early_is_refused(collect_hostile):
    whole = zipped({GOOD: ours(1), f"{EVIL}/evil.ipynbX.txt": ours("evil")})
    status, _, graded = collect_hostile(whole.replace(b"ipynbX.txt", b"ipynb\0.txt"))
    assert set(graded) == {"ben-mask-7"} and status == 3


def test_members_that_share_their_bytes_are_not_read_twice(collect_hostile):
    """Two entries of the directory that point at one place, as in bombs without nesting."""
    data = bytearray(zipped(ONE_OF_EVE | {f"Eva_8_assignsubmission_file/{BOOK}": ours(2)}))
    second = data.rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, second + 42, 0)
    status, said, graded = collect_hostile(bytes(data))
    assert status == 3 and len(graded) <= 1 and "unmatched" in said


def test_one_name_with_two_contents_is_nobodys_and_with_one_it_is_one(collect_hostile):
    twice = [(GOOD, ours(1)), (f"{EVIL}/{BOOK}", ours(1)), (f"{EVIL}/{BOOK}", ours(2))]
    with pytest.warns(UserWarning, match="Duplicate name"):
        status, said, graded = collect_hostile(twice)
    assert status == 3 and "several times" in said and set(graded) == {"ben-mask-7"}
    with pytest.warns(UserWarning, match="Duplicate name"):
        assert collect_hostile([(GOOD, ours(1)), (GOOD, ours(1))])[0] == 0


@pytest.mark.parametrize(
    "name", [f"{EVIL}\\{BOOK}", f"./{EVIL}//{BOOK}", f"{EVIL}/NUL.ipynb", f"{EVIL}/CON .ipynb"]
)
def test_a_name_that_is_only_odd_is_taken(collect_hostile, world, name):
    status, _, graded = collect_hostile({GOOD: ours(1), name: ours(2)})
    assert status == 0 and graded == {"ben-mask-7": ours(1), "eve-8": ours(2)}
    names = {os.path.basename(path).split(".")[0].strip() for path in on_disk(world)}
    assert not names & {"NUL", "CON"}


@pytest.mark.parametrize(
    ("flag", "letter"), [(0x800, "ë".encode()), (0, "ë".encode()), (0, "ë".encode("cp437"))]
)
def test_names_are_read_in_the_alphabet_in_which_they_were_written(collect_hostile, flag, letter):
    name = f"Zo{'e' * len(letter)}_8_assignsubmission_file/{BOOK}".encode()
    data = zipped({name.decode(): ours()}).replace(
        name, name.replace(b"Zo" + b"e" * len(letter), b"Zo" + letter)
    )
    assert set(collect_hostile(with_flag(data, flag))[2]) == {"zoe-8"}


def test_links_and_pipes_in_a_folder_are_not_followed(collect_hostile, tmp_path):
    (tmp_path / "secret.ipynb").write_bytes(ours("secret"))
    top = tmp_path / "unpacked"
    for name in ("ada", "ben", "cleo", "eve"):
        (top / name).mkdir(parents=True)
    (top / "ada" / BOOK).symlink_to(tmp_path / "secret.ipynb")
    os.mkfifo(top / "ben" / BOOK)
    (top / "cleo" / BOOK).write_bytes(ours(1))
    os.link(top / "cleo" / BOOK, top / "eve" / BOOK)  # which is a file
    (top / "dan").symlink_to(tmp_path)
    (top / "loop").symlink_to(top)
    status, said, graded = collect_hostile(top)
    assert status == 3 and said.count("is a link or a device") == 4
    assert "`dan` was not read: it is a link" in said, "it may stand for a student's folder"
    assert graded == {"cleo": ours(1), "eve": ours(1)}


def test_bytes_that_are_no_letters_in_a_folders_names_are_spelt_out(
    collect_hostile, tmp_path, world
):
    top = tmp_path / "unpacked"
    for name in (b"Zo\xeb M", b"ben"):
        folder = os.path.join(os.fsencode(top), name)
        os.makedirs(folder)
        with open(os.path.join(folder, b"sheet\xff.ipynb"), "wb") as file:
            file.write(ours())
    status, _, graded = collect_hostile(top)
    assert status == 0 and set(graded) == {"zo-xeb-m", "ben"}
    assert all(name.isascii() for name in on_disk(world))


@pytest.mark.parametrize("around", ["", "class/", "class/monday/"])
def test_a_zip_with_one_folder_that_holds_too_much_is_read_without_it(tmp_path, around):
    members = {f"{around}ada/{n}.txt": b"" for n in range(5)} | {f"{around}bob/{BOOK}": b"x"}
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(members))
    download = archive.open_download(path, Caps(files=4))
    assert [file.path for file in download.files] == [f"{around}bob/{BOOK}"]
    (left,) = download.refused
    assert left.path == f"{around}ada" and "more than 4 files" in left.sentence
    assert len(archive.open_download(path, Caps(files=5)).files) == 6


@pytest.mark.parametrize("around", ["", "class/monday"])
@pytest.mark.parametrize("kind", ["files", "folders", "nested"])
def test_a_folder_that_holds_too_much_is_its_students_trouble_alone(tmp_path, around, kind):
    ada, bob = tmp_path / around / "ada", tmp_path / around / "bob"
    bob.mkdir(parents=True)
    (bob / BOOK).write_bytes(b"x")
    for number in range(5):
        path = ada / ("/".join("abcde"[: number + 1]) if kind == "nested" else str(number))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch() if kind == "files" else path.mkdir()
    download = archive.open_download(tmp_path, Caps(files=4))
    assert [file.parts[-2:] for file in download.files] == [("bob", BOOK)]
    (left,) = download.refused
    assert "ada" in left.path and "more than 4 files and folders" in left.sentence
    assert not archive.open_download(tmp_path, Caps(files=5)).refused


def test_folders_are_read_to_a_depth_and_no_further(tmp_path):
    deep = tmp_path / "1" / "2" / "3"
    deep.mkdir(parents=True)
    (deep / BOOK).write_bytes(b"x")
    (tmp_path / "beside").mkdir()  # so that 1 is a student's, and no folder around all of them
    (tmp_path / "beside" / BOOK).write_bytes(b"x")
    assert len(archive.open_download(tmp_path, Caps(depth=3)).files) == 2
    download = archive.open_download(tmp_path, Caps(depth=2))
    assert [file.parts for file in download.files] == [("beside", BOOK)]
    (left,) = download.refused
    assert "`1/2/3` was not read: it is more than 2 folders down" in left.sentence


class Endless(io.RawIOBase):
    """Says that it has ten bytes, and goes on for as long as somebody reads."""

    given = 0

    def read(self, size=-1):
        assert 0 <= size <= 1001
        self.given += size
        return b"x" * size


def test_what_does_not_end_is_read_to_the_cap():
    endless = Endless()
    with pytest.raises(FileRefused, match="is longer than 1000 bytes"):
        reader(lambda: endless, 10, 1000)()
    assert endless.given == 1001


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path):
    book = tmp_path / "unpacked" / "ada" / BOOK
    book.parent.mkdir(parents=True)
    book.write_bytes(b"x")
    (member,) = archive.open_download(tmp_path / "unpacked").files
    book.unlink()
    book.symlink_to("/etc/passwd")
    with pytest.raises(FileRefused, match="is no regular file"):
        member.read()


LOST = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 1, 1, 1 << 16, 1 << 16, 0)  # before the start
NO_ZIPS = [
    b"",
    b"PK",
    b"PK\x05\x06" + b"\0" * 18 + b"x",
    b"no zip at all",
    LOST,
    zipped({GOOD: ours()})[:-30],
]


@pytest.mark.parametrize("data", NO_ZIPS)
def test_what_is_no_zip_is_said_in_one_line(collect_hostile, data, world):
    status, said, _ = collect_hostile(data)
    assert status == 2 and said.count("\n") == 1 and "download" in said
    assert not (world / "submitted").exists()


def test_what_is_not_there_is_said_in_one_line(collect_hostile, tmp_path):
    status, said, _ = collect_hostile(tmp_path / "nowhere.zip")
    assert status == 2 and "There is no download" in said and said.count("\n") == 1


ENDS = {
    "moodle": f"_1_assignsubmission_file/{BOOK}",
    "canvas": f"_1_2_{BOOK}",
    "ilias": f"_a_b_1/{BOOK}",
    "exchange": f"+{ID}+2026-11-20 15:00:00 UTC/{BOOK}",
    "folder": f"/{BOOK}",
}
odd_names = st.text(st.sampled_from("ab/\\.:_~ \0\n\u202eé\U0001f600"), min_size=1, max_size=12)


@given(
    st.lists(odd_names, min_size=1, max_size=4, unique=True),
    st.sampled_from([*ENDS]),
    st.lists(st.tuples(st.integers(0), st.integers(0, 255)), max_size=3),
)
def test_any_names_and_changed_bytes_stay_inside(tmp_path_factory, names, platform, changes):
    top = tmp_path_factory.mktemp("names")
    packed = bytearray(zipped([(entry(name + ENDS[platform]), ours(name)) for name in names]))
    for at, value in changes:
        packed[at % len(packed)] = value
    (top / "x.zip").write_bytes(packed)
    words = [*collect_words(top / "into"), "--platform", platform]
    assert main(["collect", str(top / "x.zip"), *words]) in (0, 2, 3)
    assert set(os.listdir(top)) <= {"x.zip", "into", "records.db", f"unmatched-{ID}.csv"}
    if (top / "into").exists():
        assert all(path.isascii() for path in on_disk(top / "into"))


def test_members_are_read_in_any_order_here_and_in_forks(tmp_path):
    """A fork shares the place in an open file."""
    names = [f"m{number}.bin" for number in range(6)]
    content = {name: os.urandom(20_000) for name in names}
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in content.items():
            packed.writestr(name, data)
    read = {file.name: file.read for file in archive.open_download(path).files}
    for here, there in zip(names[::2], names[::-2], strict=True):
        assert read[here]() == content[here]
        assert limits.run_bounded(read[there]) == content[there]
        assert read[there]() == content[there]
