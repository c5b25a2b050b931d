"""Clones of repositories: whose they are, which notebook counts, and when it was handed in."""

import os
import shutil
import subprocess
import zipfile

import pytest
from downloads import BOOK, ours, receipts, standing, timestamp
from downloads import ID as ASSIGNMENT
from exports import export_collected
from repositories import commit, commit_tree, git

from autograder.classroom.roster import read_roster

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]

ROSTER = '"identifier","github_username","github_id","name"\n'
GRADES = (
    '"assignment_name","assignment_url","starter_code_url","github_username","roster_identifier",'
    '"student_repository_name","student_repository_url","submission_timestamp","points_awarded",'
    '"points_available"\n'
)


def grades_row(user: str, identifier: str, repository: str, when: str) -> str:
    return f'"Sheet","u","s","{user}","{identifier}","{repository}","u","{when}","0","0"\n'


@pytest.fixture
def clones(tmp_path):
    """The folder that gh makes, with the clones of two, and a roster whose ids are the users."""
    folder = tmp_path / f"{ASSIGNMENT}-submissions"
    for mark, user in enumerate(("Ada-Softmax", "benq")):
        commit(folder / f"{ASSIGNMENT}-{user}", {BOOK: ours(mark), "README.md": b"# Sheet"})
    rows = '"Ada-Softmax","ada-softmax","1",""\n"benq","benq","2",""\n'
    (folder / "classroom_roster.csv").write_text(ROSTER + rows)
    return folder


@pytest.mark.parametrize("text", [None, "student,name\nbenq,Ada Softmax\nada-softmax,Ada\n"])
def test_a_name_that_somebody_took_at_github_is_nobodys(collect, into, clones, tmp_path, text):
    """Neither an id of the course nor a person's name: anybody can take any that is free."""
    (clones / "classroom_roster.csv").unlink()
    (tmp_path / "people.csv").write_text(text or "")
    words = ["--roster", str(tmp_path / "people.csv")] if text else []
    status, said = collect(clones, words=words)
    assert status == 3 and standing(into) == {} and said.count("2 unmatched") == 1
    assert f"`{ASSIGNMENT}-benq` is of `benq` at git" in said or text


def test_the_last_commit_that_changed_the_notebook_counts(collect, into, clones):
    ben = clones / f"{ASSIGNMENT}-benq"
    commit(ben, {BOOK: ours("better")}, when="2026-11-21T12:00:00+01:00")
    commit(ben, {"notes.txt": b"later", "other.ipynb": b"{}"}, when="2026-11-25T12:00:00+01:00")
    collect(clones)
    assert standing(into)["benq"] == ours("better")
    assert timestamp(into, "benq") == "2026-11-21 11:00:00 UTC"


def test_what_cannot_be_read_is_said_and_the_others_are_placed(collect, into, clones):
    git(clones, "init", "--quiet", str(clones / f"{ASSIGNMENT}-empty"))
    linked, lfs = clones / f"{ASSIGNMENT}-linked", clones / f"{ASSIGNMENT}-lfs"
    commit(linked, {})
    blob = git(linked, "hash-object", "-w", "--stdin", data=b"/etc/passwd")
    commit_tree(linked, f"120000 blob {blob}\t{BOOK}\n")
    commit(lfs, {BOOK: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"})
    (clones / "no-clone").mkdir()
    with (clones / "classroom_roster.csv").open("a") as roster:
        roster.write('"linked","linked","3",""\n"lfs","lfs","4",""\n')
    status, said = collect(clones)
    assert status == 3 and standing(into).keys() == {"Ada-Softmax", "benq"}
    assert f"`{ASSIGNMENT}-empty` has no commit: nothing was pushed." in said
    assert "is a link or a submodule, not a file" in said
    assert "is in Git LFS" in said and "`no-clone` is not a clone" in said


def test_names_in_a_commit_lead_nowhere_and_move_no_terminal(collect, into, clones):
    ben = clones / f"{ASSIGNMENT}-benq"
    blob = git(ben, "hash-object", "-w", "--stdin", data=ours("odd"))
    names = ("a\x1b[2J.ipynb", "..\\..\\up.ipynb", "=cmd().ipynb", BOOK)
    commit_tree(ben, "".join(f"100644 blob {blob}\t{name}\n" for name in names))
    status, said = collect(clones)
    assert status == 3 and standing(into)["benq"] == ours("odd")
    assert "\x1b" not in said and "control characters" in said and "leads out" in said


def test_a_folder_with_one_clone_among_others_is_no_folder_of_clones(collect, into, tmp_path):
    """A student may hand in a `.git` folder: that changes nothing for the others."""
    folder = tmp_path / "plain"
    commit(folder / "ada", {BOOK: ours(1)})
    (folder / "ben").mkdir()
    (folder / "ben" / BOOK).write_bytes(ours(2))
    collect(folder)
    assert standing(into) == {"ada": ours(1), "ben": ours(2)}
    assert {one["platform"] for one in receipts(into)} == {"folder"}


@pytest.mark.parametrize(("encoding", "delimiter"), [("cp1252", ";"), ("utf-16", "\t")])
def test_a_table_that_a_german_spreadsheet_saved_says_whose_a_clone_is(
    collect, into, clones, encoding, delimiter
):
    for table in clones.glob("*.csv"):
        table.unlink()
    rows = ["student,name,repository", f"s001,Zoë Groß,{ASSIGNMENT}-benq"]
    text = "\r\n".join(rows).replace(",", delimiter)
    (clones / "roster.csv").write_bytes(text.encode(encoding))
    collect(clones)
    assert read_roster(into, ASSIGNMENT)["s001"].name == "Zoë Groß"


def addressed(folder, *rows: str):
    """A folder with nothing but a table of students and their repositories."""
    folder.mkdir(exist_ok=True)
    (folder / "roster.csv").write_text("student,repository\n" + "".join(f"{row}\n" for row in rows))
    return folder


@pytest.fixture
def hosts(tmp_path):
    """Repositories of two, as a host has them, of one name."""
    for mark, user in enumerate(("ada", "ben")):
        commit(tmp_path / "host" / user / "homework", {BOOK: ours(mark)})
    return f"file://{tmp_path}/host"


FETCH = ["--platform", "git", "--fetch"]


def test_a_class_is_fetched_by_the_addresses_in_a_table(collect, into, hosts, tmp_path):
    folder = addressed(
        tmp_path / "sheet", f"0042,{hosts}/ada/homework", f"0043,{hosts}/ben/homework/.git"
    )
    status, said = collect(folder, words=FETCH)
    assert status == 0 and "2 students: 2 placed; none unmatched" in said, said
    assert standing(into) == {"0042": ours(0), "0043": ours(1)}
    assert not [path for path in folder.rglob("*") if path.name in (BOOK, "hooks", "FETCH_HEAD")]


def test_fetched_again_only_what_is_new_is_taken(collect, into, hosts, tmp_path):
    folder = addressed(
        tmp_path / "sheet", f"0042,{hosts}/ada/homework", f"0043,{hosts}/ben/homework"
    )
    collect(folder, words=FETCH)
    commit(tmp_path / "host" / "ada" / "homework", {BOOK: ours("new")}, when="2026-11-22T12:00:00Z")
    packs = set(folder.rglob("*.pack"))
    assert "1 newer than before, 1 unchanged" in collect(folder, words=FETCH)[1]
    assert standing(into)["0042"] == ours("new")
    (pack,) = set(folder.rglob("*.pack")) - packs
    assert pack.read_bytes()[11] == 4, (
        "a commit, a tree, a notebook and what it was made of, of six"
    )


def test_a_dead_address_is_one_students_sentence(collect, into, hosts, tmp_path):
    folder = addressed(
        tmp_path / "sheet", f"0042,{hosts}/ada/homework", f"0043,{hosts}/nobody/homework"
    )
    status, said = collect(folder, words=FETCH)
    assert status == 3 and standing(into) == {"0042": ours(0)}
    assert "nobody+homework` was not fetched: fatal: " in said
    assert said.count("nobody+homework") == 1 and "has no commit" not in said


def test_an_empty_repository_is_reported_once(collect, into, clones, hosts, tmp_path):
    """Fetched or cloned by hand, beside others or alone, whatever tables there are."""
    (tmp_path / "host" / "eve" / "homework").mkdir(parents=True)
    git(tmp_path / "host" / "eve" / "homework", "init", "--quiet")
    folder = addressed(
        tmp_path / "sheet", f"0042,{hosts}/ada/homework", f"0043,{hosts}/eve/homework"
    )
    for _ in range(2):
        status, said = collect(folder, words=FETCH)
        assert status == 3 and standing(into) == {"0042": ours(0)}
        assert said.count("eve+homework") == said.count("nothing was pushed") == 1
    for user in ("benq", "Ada-Softmax"):
        shutil.rmtree(clones / f"{ASSIGNMENT}-{user}")
        git(clones, "init", "--quiet", str(clones / f"{ASSIGNMENT}-{user}"))
        (clones / "table.csv").write_text(
            GRADES + grades_row(user, "7", f"{ASSIGNMENT}-{user}", "")
        )
        status, said = collect(clones)
        assert status == 3 and said.count(f"`{ASSIGNMENT}-{user}` has no commit") == 1
    assert said.count("nothing was pushed") == said.count("has no commit") == 2
    assert standing(into).keys() == {"0042", "Ada-Softmax"}


def test_an_odd_clone_is_its_students_state_and_the_next_student_follows(collect, into, clones):
    clone = clones / f"{ASSIGNMENT}-benq"
    blob = git(clone, "rev-parse", f"HEAD:{BOOK}")
    lines = [f"100644 blob {blob}\t{number}.txt\n" for number in range(20_001)]
    commit_tree(clone, "".join(lines))
    commit(clones / f"{ASSIGNMENT}-zoe", {BOOK: ours("zoe")})
    with (clones / "classroom_roster.csv").open("a") as roster:
        roster.write('"zoe","zoe","3",""\n')
    status, said = collect(clones)
    assert status == 3 and said.count("-benq` holds more than 20,000 files") == 1
    commit_tree(clone, "".join(lines[:19_000]) + f"100644 blob {blob}\t{BOOK}\n")
    assert collect(clones)[0] == 0
    assert standing(into) == {"Ada-Softmax": ours(0), "benq": ours(1), "zoe": ours("zoe")}
    commit_tree(clone, "")
    assert f"`{ASSIGNMENT}-benq` holds no file" in collect(clones)[1]
    (clone / ".git" / "HEAD").unlink()
    (clone / ".git" / "HEAD").mkdir()
    assert f"`{ASSIGNMENT}-benq` cannot be read (`HEAD` is no regular file)" in collect(clones)[1]
    shutil.rmtree(clone / ".git" / "objects")
    assert f"`{ASSIGNMENT}-benq` is not a clone" in collect(clones)[1]


def test_tables_that_name_no_repository_are_said(collect, tmp_path):
    folder = addressed(tmp_path / "sheet")
    status, said = collect(folder, words=FETCH)
    assert status == 2 and "no table that names a repository by its address" in said
    (folder / "roster.csv").write_bytes(b"\x81")
    status, said = collect(folder, words=FETCH)
    assert status == 2 and "`roster.csv` is no text: save the table as CSV" in said


COMMANDS = "ext::sh -c touch% ran", "--upload-pack=touch ran", "-u/x"


@pytest.mark.parametrize("address", [*COMMANDS, "http://uni.example/x/y", "git://x/y"])
def test_an_address_is_no_command_and_no_open_line(collect, hosts, tmp_path, address):
    folder = addressed(tmp_path / "sheet", f"0042,{hosts}/ada/homework", f"0043,{address}")
    status, said = collect(folder, words=FETCH)
    assert status in (2, 3) and ("is not an address" in said or "not allowed" in said), said
    assert not list(tmp_path.rglob("ran"))


def test_git_works_in_no_repository_of_somebody_else(collect, into, hosts, tmp_path):
    """Who unpacks one into the folder that --fetch fills has its hooks and settings refused."""
    folder = addressed(
        tmp_path / "sheet", f"0042,{hosts}/ada/homework", f"0043,{hosts}/ben/homework"
    )
    collect(folder, words=FETCH)
    ran, first = tmp_path / "ran", next(folder.glob("*ada*")) / ".git"
    (first / "config").write_text(
        f"[core]\n\tsshCommand = touch {ran}\n\tfsmonitor = touch {ran}\n"
    )
    assert collect(folder, words=FETCH)[0] == 0, "settings are written again"
    assert "touch" not in (first / "config").read_text()
    for name in ("commondir", "hooks/post-fetch", "objects/info/alternates", "refs/heads/link"):
        path = first / name
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(ran) if "link" in name else path.write_text(f"{ran}")
        status, said = collect(folder, words=FETCH)
        assert status == 3 and "is not a clone of --fetch, or damaged" in said, (name, said)
        path.unlink()
    assert not ran.exists()


def test_at_a_time_what_was_there_by_then_counts(collect, into, hosts, tmp_path):
    work = tmp_path / "host" / "ada" / "homework"
    commit(work, {BOOK: ours("late")}, when="2026-12-01T12:00:00Z")
    folder = addressed(tmp_path / "sheet", f"0042,{hosts}/ada/homework")
    assert collect(folder, words=[*FETCH, "--at", "2026-11-30 18:00+01:00"])[0] == 0
    assert standing(into) == {"0042": ours(0)}
    commit(tmp_path / "host" / "eve" / "homework", {BOOK: ours()}, when="2026-12-01T12:00:00Z")
    addressed(folder, f"0042,{hosts}/ada/homework", f"0044,{hosts}/eve/homework")
    _, said = collect(folder, words=[*FETCH, "--at", "2026-11-30 18:00"], zone="Europe/Berlin")
    assert "no commit that says it was made by 2026-11-30 18:00 CET" in " ".join(said.split())
    assert "is no time" in collect(folder, words=[*FETCH, "--at", "noon"])[1]
    assert "add --platform git" in collect(folder, words=["--at", "2026-11-30 18:00"])[1]


def test_a_tag_of_classroom_50_says_which_commit_and_when(collect, into, hosts, tmp_path):
    work = tmp_path / "host" / "ada" / "homework"
    git(work, "tag", f"submit/2026-11-20T11-30-00Z-{git(work, 'rev-parse', 'HEAD')[:7]}")
    commit(work, {BOOK: ours("not handed in")}, when="2026-11-21T12:00:00Z")
    status, said = collect(addressed(tmp_path / "sheet", f"0042,{hosts}/ada/homework"), words=FETCH)
    assert status == 0 and "time of the tag" in said
    assert standing(into) == {"0042": ours(0)}
    assert timestamp(into, "0042") == "2026-11-20 11:30:00 UTC"
    assert "whoever may push" in receipts(into, "0042")[0]["time_from"]


def test_each_repository_is_handed_its_text(collect, into, clones, hosts, tmp_path):
    """By a script that asks gh, which is one here that notes what it is asked."""
    collect(clones)
    collect(addressed(tmp_path / "sheet", f"0042,{hosts}/ada/homework"), words=FETCH)
    folder = export_collected(into, "git", {"benq": 7.5, "0042": 9.0})
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(folder / "git-feedback.zip") as archive:
        archive.extractall(unpacked)
    (tmp_path / "gh").write_text('#!/bin/sh\necho "$4" >> "$LOG"; grep total: "$8" >> "$LOG"\n')
    (tmp_path / "gh").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    words = ["sh", "hand-back.sh", "my-course"]
    subprocess.run(words, cwd=unpacked, env={"PATH": path, "LOG": f"{tmp_path}/log"}, check=True)
    lines = (tmp_path / "log").read_text().splitlines()
    fetched = str(tmp_path / "host" / "ada" / "homework").lstrip("/")
    said = dict(zip(lines[::2], lines[1::2], strict=True))
    assert said.keys() == {f"my-course/{ASSIGNMENT}-benq", fetched}
    assert "7.5 of 10" in said[f"my-course/{ASSIGNMENT}-benq"]
