"""Clones are data: whatever is in one, git runs nothing of it and reads nothing elsewhere."""

import os
import shutil
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from repositories import commit, commit_tree, git

from autograder.platforms import git_objects
from autograder.platforms.git_objects import Clone, CloneRefused


@pytest.fixture
def work(tmp_path) -> Path:
    """A repository with one file, and one folder above it that staff named."""
    folder = tmp_path / "clones" / "sheet-ada"
    commit(folder, {"sheet.ipynb": b"{}"})
    return folder


def clone(folder: Path) -> Clone:
    return Clone(folder, folder.parent)


def contents(one: Clone, most: int = 1000) -> dict[str, bytes]:
    commit = one.newest_commit()
    return {file.path: one.read(file, most) for file in one.files(commit) if file.regular}


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
    shallow = clone(tmp_path / "c" / "ada")
    assert contents(shallow) == {"sheet.ipynb": b"[2]"}
    assert shallow.changed(shallow.newest_commit(), "sheet.ipynb").day == 21


def test_a_file_has_the_time_of_the_last_commit_that_changed_it(work):
    commit(work, {"other.txt": b"x"}, when="2026-11-25T12:00:00+01:00")
    one = clone(work)
    found = one.changed(one.newest_commit(), "sheet.ipynb")
    assert found == datetime(2026, 11, 20, 11, tzinfo=UTC)
    assert one.changed(one.newest_commit(), "*.ipynb") is None


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
    one = clone(work)
    assert contents(one)["sheet.ipynb"] == b"{}"
    assert one.changed(one.newest_commit(), "sheet.ipynb")
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
        clone(work).newest_commit()
    (info / "alternates").unlink()
    (work / ".git" / "objects" / "ff").mkdir(exist_ok=True)
    (work / ".git" / "objects" / "ff" / ("0" * 38)).symlink_to(tmp_path / "anything")
    with pytest.raises(CloneRefused, match="links to objects elsewhere"):
        clone(work).newest_commit()


@pytest.mark.parametrize("name", [".git", ".git/objects", ".git/HEAD", ".git/refs"])
def test_links_to_another_repository_are_refused(work, tmp_path, name):
    others = tmp_path / "staff"
    commit(others, {"grader.py": b"secret"})
    os.rename(work / name, tmp_path / "away")
    (work / name).symlink_to(others / name)
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
        clone(work).newest_commit()


def test_a_repository_without_a_commit_is_said(tmp_path):
    folder = tmp_path / "clones" / "sheet-ada"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    with pytest.raises(CloneRefused, match="nothing was pushed"):
        clone(folder).newest_commit()


def test_links_and_submodules_in_a_commit_are_no_files(work):
    blob = git(work, "hash-object", "-w", "--stdin", data=b"/etc/passwd")
    other = git(work, "rev-parse", "HEAD")
    commit_tree(work, f"120000 blob {blob}\tsheet.ipynb\n160000 commit {other}\tsub\n")
    one = clone(work)
    assert [(file.path, file.regular) for file in one.files(one.newest_commit())] == [
        ("sheet.ipynb", False),
        ("sub", False),
    ]


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
    monkeypatch.setattr(git_objects, "MOST_LISTED", 1 << 20)
    one = clone(work)
    with pytest.raises(CloneRefused, match="holds more than"):
        one.files(one.newest_commit())


def test_a_file_is_read_up_to_the_cap(work):
    commit(work, {"big.ipynb": bytes(5_000)})
    with pytest.raises(CloneRefused, match="more than the 1000 bytes"):
        contents(clone(work))


def test_a_replaced_object_is_not_believed(work):
    blob = git(work, "rev-parse", "HEAD:sheet.ipynb")
    other = git(work, "hash-object", "-w", "--stdin", data=b"other")
    git(work, "replace", blob, other)
    assert contents(clone(work)) == {"sheet.ipynb": b"{}"}


def test_a_damaged_clone_is_said(work):
    blob = git(work, "rev-parse", "HEAD:sheet.ipynb")
    path = work / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"no zlib")
    with pytest.raises(CloneRefused, match="is damaged"):
        contents(clone(work))


def test_a_git_that_does_not_end_is_ended(work, tmp_path, monkeypatch):
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (slow / "git").chmod(0o755)
    one = clone(work)
    head = one.newest_commit()
    one.files(head)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    monkeypatch.setattr(git_objects, "PATIENCE", 1)
    with pytest.raises(CloneRefused, match="took git too long"):
        one.files(head)


def test_questions_about_one_clone_have_one_time(work, tmp_path, monkeypatch):
    """A long history answers each of fifty slowly enough."""
    slow = tmp_path / "bin"
    slow.mkdir()
    busy = "n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done"
    (slow / "git").write_text(f'#!/bin/sh\n{busy}\nexec "{shutil.which("git")}" "$@"\n')
    (slow / "git").chmod(0o755)
    one, other = clone(work), clone(work)
    head = one.newest_commit()
    one.files(head)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ.get('PATH', os.defpath)}")
    monkeypatch.setattr(git_objects, "SECONDS", 1)
    with pytest.raises(CloneRefused, match="took git too long"):
        list(map(partial(one.changed, head), ["sheet.ipynb"] * 50))
    assert len(one.used) < 50
    assert other.used == [], "another clone has its own"


def test_a_clone_of_too_many_files_is_refused_before_they_are_read(work, monkeypatch):
    one = clone(work)
    head = one.newest_commit()
    monkeypatch.setattr(git_objects, "MOST_FILES", 0)
    monkeypatch.setattr(git_objects, "_tree_file", None)
    with pytest.raises(CloneRefused, match="holds more than 0 files"):
        one.files(head)
