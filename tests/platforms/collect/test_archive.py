"""Downloads that somebody made to do harm: plain files are read, up to a cap, and nothing else."""

import io
import os
import stat
import struct
import zipfile
from datetime import UTC, datetime

import pytest
from downloads import BOOK, ID, WHEN, collect_words, entry, on_disk, ours, zipped
from hypothesis import given
from hypothesis import strategies as st

from autograder._commands.main import main
from autograder.engine.limits.bounded import run_bounded
from autograder.engine.texts.errors import AutograderError
from autograder.platforms.collect import archive
from autograder.platforms.collect.archive import open_download, open_inner
from autograder.platforms.download import Caps, FileRefused, reader

GOOD = f"Ben Mask_7_assignsubmission_file/{BOOK}"
EVIL = "Eve_8_assignsubmission_file"
EPOCH = (1980, 1, 1, 0, 0, 0)


@pytest.mark.parametrize(
    "name",
    [
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
    ],
)
def test_a_name_that_leads_elsewhere_is_listed_and_not_read(collect_hostile, name):
    status, said, graded = collect_hostile({GOOD: ours(1), name: ours("evil")})
    assert status == 3 and "was not read" in said and graded == {"ben-mask-7": ours(1)}
    assert "\x1b" not in said


def test_a_name_that_ends_early_is_refused(collect_hostile):
    whole = zipped({GOOD: ours(1), f"{EVIL}/evil.ipynbX.txt": ours("evil")})
    status, _, graded = collect_hostile(whole.replace(b"ipynbX.txt", b"ipynb\0.txt"))
    assert set(graded) == {"ben-mask-7"} and status == 3


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
    assert set(collect_hostile(_with_flag(data, flag))[2]) == {"zoe-8"}


@pytest.mark.parametrize(
    "mode", [stat.S_IFLNK | 0o777, stat.S_IFCHR | 0o666, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK]
)
def test_links_and_devices_in_a_zip_are_no_files(collect_hostile, mode):
    link = entry(f"{EVIL}/{BOOK}", mode=mode)
    status, said, graded = collect_hostile([(GOOD, ours(1)), (link, b"../../../bystander.txt")])
    assert status == 3 and "is a link or a device" in said and set(graded) == {"ben-mask-7"}


def test_links_and_pipes_in_a_folder_are_not_followed(collect_hostile, tmp_path):
    (tmp_path / "secret.ipynb").write_bytes(ours("secret"))
    top = tmp_path / "unpacked"
    for name in ("ada", "ben", "cleo"):
        (top / name).mkdir(parents=True)
    (top / "ada" / BOOK).symlink_to(tmp_path / "secret.ipynb")
    os.mkfifo(top / "ben" / BOOK)
    (top / "cleo" / BOOK).write_bytes(ours(1))
    (top / "dan").symlink_to(tmp_path)
    (top / "loop").symlink_to(top)
    status, said, graded = collect_hostile(top)
    assert status == 3 and said.count("is a link or a device") == 4
    assert "`dan` was not read: it is a link" in said, "it may stand for a student's folder"
    assert graded == {"cleo": ours(1)}


@pytest.mark.parametrize("kind", ["too many", "too many in it", "below"])
def test_a_folder_that_cannot_be_looked_into_keeps_no_other_out(
    collect_hostile, tmp_path, monkeypatch, kind
):
    """Students can make such folders where nbgrader collects."""
    top = tmp_path / "unpacked"
    for name in ("ada", "eve"):
        (top / name).mkdir(parents=True)
        (top / name / BOOK).write_bytes(ours(name))
    monkeypatch.setattr(archive.open_download, "__defaults__", (Caps(files=5), None, None))
    if kind == "too many in it":
        for folder in "abc":
            (top / "eve" / folder).mkdir()
            for number in range(3):
                (top / "eve" / folder / f"{number}").touch()
    else:
        folder = top / "eve" / ("data" if kind == "below" else "")
        folder.mkdir(exist_ok=True)
        for number in range(6):
            (folder / f"{number}").touch()
    status, said, graded = collect_hostile(top)
    assert status == 3 and "cannot be looked into, or holds more than" in said
    assert set(graded) == ({"ada"} if kind == "too many" else {"ada", "eve"})


def test_hard_links_are_files(collect_hostile, tmp_path):
    top = tmp_path / "unpacked"
    for name in ("ada", "ben"):
        (top / name).mkdir(parents=True)
    (top / "ada" / BOOK).write_bytes(ours())
    os.link(top / "ada" / BOOK, top / "ben" / BOOK)
    assert set(collect_hostile(top)[2]) == {"ada", "ben"}


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
    collect_hostile(top)
    assert all(name.isascii() for name in on_disk(world))


def test_one_name_with_two_contents_is_nobodys_and_with_one_it_is_one(collect_hostile):
    twice = [(GOOD, ours(1)), (f"{EVIL}/{BOOK}", ours(1)), (f"{EVIL}/{BOOK}", ours(2))]
    with pytest.warns(UserWarning, match="Duplicate name"):
        status, said, graded = collect_hostile(twice)
    assert status == 3 and "several times" in said and set(graded) == {"ben-mask-7"}
    with pytest.warns(UserWarning, match="Duplicate name"):
        assert collect_hostile([(GOOD, ours(1)), (GOOD, ours(1))])[0] == 0


def _with_flag(data: bytes, flag: int) -> bytes:
    """Set a flag of every entry, in both places."""
    out = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = out.find(signature)
        while at >= 0:
            (flags,) = struct.unpack_from("<H", out, at + offset)
            struct.pack_into("<H", out, at + offset, flags | flag)
            at = out.find(signature, at + 4)
    return bytes(out)


def _says(data: bytes, member: int, size: int, also_local: bool = True) -> bytes:
    """Let an entry say that it has another size than it has."""
    out, at = bytearray(data), -1
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22))[: 2 if also_local else 1]:
        at = -1
        for _ in range(member + 1):
            at = out.find(signature, at + 1)
        struct.pack_into("<I", out, at + offset, size)
    return bytes(out)


def test_an_encrypted_member_is_listed(collect_hostile):
    secret = _with_flag(zipped({f"{EVIL}/{BOOK}": ours()}), 0x1)
    status, said, _ = collect_hostile(secret)
    assert status == 2 and "is encrypted" in said
    status, said, graded = collect_hostile({GOOD: ours(1), f"{EVIL}/hw.zip": secret})
    assert status == 3 and "is encrypted" in said and set(graded) == {"ben-mask-7"}


def test_a_packing_that_may_take_any_memory_is_not_unpacked(collect_hostile):
    packed = entry(f"{EVIL}/{BOOK}")
    packed.compress_type = zipfile.ZIP_LZMA
    status, said, graded = collect_hostile([(GOOD, ours(1)), (packed, ours())])
    assert status == 3 and "an ordinary zip" in said and set(graded) == {"ben-mask-7"}


@pytest.mark.parametrize("also_local", [True, False])
@pytest.mark.parametrize(
    ("size", "reason"),
    [(10, "is damaged or cannot be read"), (3_000_000_000, "says that it has 2861 MiB")],
)
def test_a_member_that_lies_about_its_size_is_listed(collect_hostile, size, reason, also_local):
    data = zipped({GOOD: ours(1), f"{EVIL}/{BOOK}": ours("evil")})
    status, said, graded = collect_hostile(_says(data, 1, size, also_local))
    assert status == 3 and reason in said and set(graded) == {"ben-mask-7"}


def test_a_bomb_is_read_to_the_cap_and_no_further(collect_hostile, tmp_path):
    bomb = zipped({f"{EVIL}/{BOOK}": b"\0" * (3 << 20), GOOD: ours(1)})
    assert len(bomb) < 10_000
    (tmp_path / "download.zip").write_bytes(bomb)
    evil, good = open_download(tmp_path / "download.zip", Caps(file_bytes=1 << 20)).files
    with pytest.raises(FileRefused, match="3 MiB; 1 MiB are read"):
        evil.read()
    assert good.read() == ours(1)
    lying = _says(bomb, 0, 1000)
    status, said, graded = collect_hostile(lying)
    assert status == 3 and "is damaged or cannot be read" in said and set(graded) == {"ben-mask-7"}


def test_zips_in_zips_are_opened_one_deep(collect_hostile):
    bomb = zipped({"0.ipynb": b"\0" * (1 << 20)})
    for _ in range(5):
        bomb = zipped({f"{n}.zip": bomb for n in range(8)})
    status, said, graded = collect_hostile({f"{EVIL}/hw.zip": bomb, GOOD: ours(1)})
    assert status == 3 and "an archive in an archive" in said and set(graded) == {"ben-mask-7"}


def test_a_zip_that_was_handed_in_is_as_distrusted_as_the_download(collect_hostile):
    link = entry(BOOK, mode=stat.S_IFLNK | 0o777)
    inner = zipped(
        [(link, b"/etc/passwd"), (f"../{BOOK}", ours("evil")), ("big.ipynb", b"\0" * 1_000)]
    )
    inner = _says(inner, 2, 257 << 20)
    status, said, graded = collect_hostile({f"{EVIL}/hw.zip": inner, GOOD: ours(1)})
    assert status == 3 and set(graded) == {"ben-mask-7"}
    for reason in ("is a link or a device", "leads out of the download", "256 MiB are read"):
        assert reason in said


def test_members_that_share_their_bytes_are_not_read_twice(collect_hostile, tmp_path):
    """Two entries of the directory that point at one place, as in bombs without nesting."""
    data = bytearray(
        zipped({f"{EVIL}/{BOOK}": ours("evil"), f"Eva_8_assignsubmission_file/{BOOK}": ours(2)})
    )
    second = data.rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, second + 42, 0)
    status, said, graded = collect_hostile(bytes(data))
    assert status == 3 and len(graded) <= 1 and "unmatched" in said


def test_caps_hold_for_members_and_depth(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(zipped({f"s{n}/{BOOK}": b"x" * 1000 for n in range(5)}))
    with pytest.raises(AutograderError, match="more than 4 members"):
        open_inner(path.read_bytes(), "x.zip", Caps(files=4))
    assert "too long" in open_download(path, Caps(depth=0)).refused[0].sentence


def test_a_zip_that_was_handed_in_is_counted_before_it_is_opened():
    with pytest.raises(AutograderError, match="more than 4 members"):
        open_inner(b"PK\x01\x02" * 5, "x.zip", Caps(files=4))
    with pytest.raises(AutograderError, match="is not a zip"):
        open_inner(b"PK\x01\x02" * 4, "x.zip", Caps(files=4))


@pytest.mark.parametrize("around", ["", "class/", "class/monday/"])
def test_a_zip_with_one_folder_that_holds_too_much_is_read_without_it(tmp_path, around):
    members = {f"{around}ada/{n}.txt": b"" for n in range(5)} | {f"{around}bob/{BOOK}": b"x"}
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(members))
    download = open_download(path, Caps(files=4))
    assert [file.path for file in download.files] == [f"{around}bob/{BOOK}"]
    (left,) = download.refused
    assert left.path == f"{around}ada" and "more than 4 files" in left.sentence
    assert len(open_download(path, Caps(files=5)).files) == 6


@pytest.mark.parametrize("around", ["", "class", "class/monday"])
@pytest.mark.parametrize("kind", ["files", "folders", "nested"])
def test_a_folder_that_holds_too_much_is_its_students_trouble_alone(tmp_path, around, kind):
    ada, bob = tmp_path / around / "ada", tmp_path / around / "bob"
    bob.mkdir(parents=True)
    (bob / BOOK).write_bytes(b"x")
    for number in range(5):
        path = ada / ("/".join("abcde"[: number + 1]) if kind == "nested" else str(number))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch() if kind == "files" else path.mkdir()
    download = open_download(tmp_path, Caps(files=4))
    assert [file.parts[-2:] for file in download.files] == [("bob", BOOK)]
    (left,) = download.refused
    assert "ada" in left.path and "more than 4 files and folders" in left.sentence
    assert not open_download(tmp_path, Caps(files=5)).refused


def test_caps_hold_for_folders(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.ipynb").write_bytes(b"x")
    assert len(open_download(tmp_path, Caps(files=5)).files) == 5
    deep = tmp_path / "1" / "2" / "3"
    deep.mkdir(parents=True)
    (deep / BOOK).write_bytes(b"x")
    assert len(open_download(tmp_path, Caps(depth=3)).files) == 6
    download = open_download(tmp_path, Caps(depth=2))
    assert len(download.files) == 5
    assert "`1/2/3` was not read: it is more than 2 folders down" in download.refused[0].sentence
    (tmp_path / "beside").mkdir()  # so that 1 is a student's, and no folder around all of them
    (tmp_path / "beside" / BOOK).write_bytes(b"x")
    download = open_download(tmp_path, Caps(depth=2))
    assert [left.path for left in download.refused] == ["1/2/3"]
    assert not any(file.parts[:1] == ("1",) for file in download.files)


class Endless(io.RawIOBase):
    """Says that it has ten bytes, and goes on for as long as somebody reads."""

    given = 0

    def read(self, size=-1):
        assert 0 <= size <= 1001
        self.given += size
        return b"x" * size


def test_what_does_not_end_is_read_to_the_cap(tmp_path):
    endless = Endless()
    with pytest.raises(FileRefused, match="is longer than 1000 bytes"):
        reader(lambda: endless, 10, 1000)()
    assert endless.given == 1001


def test_a_file_that_grows_while_it_is_read_is_cut(tmp_path):
    book = tmp_path / "unpacked" / "ada" / BOOK
    book.parent.mkdir(parents=True)
    book.write_bytes(b"x")
    (member,) = open_download(tmp_path / "unpacked", Caps(file_bytes=10)).files
    book.write_bytes(b"x" * 11)
    with pytest.raises(FileRefused):
        member.read()


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path):
    book = tmp_path / "unpacked" / "ada" / BOOK
    book.parent.mkdir(parents=True)
    book.write_bytes(b"x")
    (member,) = open_download(tmp_path / "unpacked").files
    book.unlink()
    book.symlink_to("/etc/passwd")
    with pytest.raises(FileRefused, match="is no regular file"):
        member.read()


LOST = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 1, 1, 1 << 16, 1 << 16, 0)  # before the start


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"PK\x05\x06" + b"\0" * 18 + b"x",
        b"no zip at all",
        LOST,
        zipped({GOOD: ours()})[:-30],
    ],
)
def test_what_is_no_zip_is_said_in_one_line(collect_hostile, data, world):
    status, said, _ = collect_hostile(data)
    assert status == 2 and said.count("\n") == 1 and "download" in said
    assert not (world / "submitted").exists()


def test_what_is_not_there_is_said_in_one_line(collect_hostile, tmp_path):
    status, said, _ = collect_hostile(tmp_path / "nowhere.zip")
    assert status == 2 and "There is no download" in said and said.count("\n") == 1


WHOLE = zipped(
    {
        GOOD: ours(1),
        f"{EVIL}/{BOOK}": ours(2),
        f"{EVIL}/hw.zip": zipped({BOOK: ours(3)}),
        "x.txt": b"",
    }
)


@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=8),
    st.none() | st.integers(0, len(WHOLE)),
)
def test_a_zip_with_any_bytes_changed_is_read_or_refused(tmp_path_factory, changes, end):
    damaged = bytearray(WHOLE)
    for at, value in changes:
        damaged[at] = value
    top = tmp_path_factory.mktemp("damaged")
    (top / "x.zip").write_bytes(bytes(damaged[:end]))
    words = [*collect_words(top / "into"), "--timezone", "UTC"]
    assert main(["collect", str(top / "x.zip"), *words]) in (0, 2, 3)
    assert set(os.listdir(top)) <= {"x.zip", "into", "records.db", f"unmatched-{ID}.csv"}
    on_disk(top / "into")


@given(
    st.lists(
        st.text(st.sampled_from("ab/\\.:_~ \0\n\u202eé\U0001f600"), min_size=1, max_size=12),
        min_size=1,
        max_size=4,
        unique=True,
    ),
    st.sampled_from(["moodle", "canvas", "ilias", "exchange", "folder"]),
)
def test_any_names_stay_inside(tmp_path_factory, names, platform):
    top = tmp_path_factory.mktemp("names")
    ends = {
        "moodle": f"_1_assignsubmission_file/{BOOK}",
        "canvas": f"_1_2_{BOOK}",
        "ilias": f"_a_{names[0]}_1/{BOOK}",
        "exchange": f"+{ID}+2026-11-20 15:00:00 UTC/{BOOK}",
        "folder": f"/{BOOK}",
    }
    pairs = [(entry(name + ends[platform]), ours(name)) for name in names]
    (top / "x.zip").write_bytes(zipped(pairs))
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
    read = {file.name: file.read for file in open_download(path).files}
    for here, there in zip(names[::2], names[::-2], strict=True):
        assert read[here]() == content[here]
        assert run_bounded(read[there]) == content[there]
        assert read[there]() == content[there]


def test_times_in_a_zip_are_kept_as_they_are(tmp_path):
    """Without a zone, unless the zip has seconds since 1970; never moved, rounded or guessed."""
    plain, unix, unset = (entry(f"{n}.ipynb", time) for n, time in enumerate([WHEN, WHEN, EPOCH]))
    unix.extra = struct.pack("<HHBI", 0x5455, 5, 1, 1_795_183_201)
    (tmp_path / "x.zip").write_bytes(zipped([(plain, b""), (unix, b""), (unset, b"")]))
    assert [file.changed for file in open_download(tmp_path / "x.zip").files] == [
        datetime(2026, 11, 20, 15),
        datetime(2026, 11, 20, 14, 0, 1, tzinfo=UTC),
        None,
    ]
