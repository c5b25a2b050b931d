"""Feedback for GitHub: a branch a repository, with the feedback's files and nothing else in it."""

import subprocess
from pathlib import Path

import pytest
from downloads import BOOK, ours
from downloads import ID as ASSIGNMENT
from exports import export_collected
from repositories import commit, git

from autograder.platforms.github_feedback import is_repository

ADA, BEN = f"{ASSIGNMENT}-ada", f"{ASSIGNMENT}-ben"


@pytest.fixture
def collected(collect, into, tmp_path) -> Path:
    """The clones of two students, collected."""
    folder = tmp_path / f"{ASSIGNMENT}-submissions"
    for user in ("ada", "ben"):
        commit(folder / f"{ASSIGNMENT}-{user}", {BOOK: ours(user)})
    collect(folder)
    return folder


def export(into, *words: str, **points: float) -> Path:
    return export_collected(into, "github-classroom", points, *words) / "github-feedback.git"


def objects(repository: Path) -> list[str]:
    """All that is in a repository, whether a branch leads to it or not: kind and hash."""
    listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check")
    return [" ".join(line.split()[:2]) for line in listed.splitlines()]


def files(repository: Path, branch: str) -> list[str]:
    return git(repository, "ls-tree", "-r", "--name-only", branch).splitlines()


def test_a_branch_holds_the_feedback_and_nothing_else(into, collected):
    """Each object of the repository is looked at: a push can hand over no more than these."""
    made = export(into, ada=7.5, ben=10.0)
    assert git(made, "branch", "--format=%(refname:short)").splitlines() == [ADA, BEN]
    for branch in (ADA, BEN):
        assert files(made, branch) == ["feedback.html", "feedback.md"]
        assert git(made, "rev-list", "--count", branch) == "1"
    kinds = [one.split()[1] for one in objects(made)]
    assert sorted(kinds) == ["blob"] * 4 + ["commit"] * 2 + ["tree"] * 2
    text = git(made, "show", f"{ADA}:feedback.md")
    assert "7.5 of 10" in text and "10 of 10" in git(made, "show", f"{BEN}:feedback.md")
    everything = "".join(
        git(made, "show", f"{branch}:{name}")
        for branch in (ADA, BEN)
        for name in files(made, branch)
    )
    assert "def test_" not in everything and "import pytest" not in everything


def test_the_folder_of_results_may_be_named_from_where_one_is(into, collected, monkeypatch):
    monkeypatch.chdir(into.parent)
    made = export(Path("submitted"), ada=7.5)
    assert git(made, "branch", "--format=%(refname:short)") == ADA


def test_again_only_what_is_new_is_committed_on_top(into, collected, capfd):
    made = export(into, ada=7.5, ben=10.0)
    first = git(made, "rev-parse", ADA, BEN).splitlines()
    export(into, ada=7.5, ben=10.0)
    assert git(made, "rev-parse", ADA, BEN).splitlines() == first
    assert "2 branches, of which 0 have a new commit" in capfd.readouterr().out
    export(into, ada=9.0, ben=10.0)
    assert git(made, "rev-parse", BEN) == first[1]
    assert git(made, "rev-parse", f"{ADA}^") == first[0]
    assert "9 of 10" in git(made, "show", f"{ADA}:feedback.md")


def test_a_push_reaches_the_students_repository_as_a_branch_of_its_own(into, collected, tmp_path):
    made = export(into, ada=7.5, ben=10.0)
    remote = tmp_path / "github" / f"{ADA}.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(collected / ADA), str(remote))
    main = git(remote, "rev-parse", "main")
    git(made, "push", "--quiet", str(remote), f"refs/heads/{ADA}:refs/heads/feedback")
    assert files(remote, "feedback") == ["feedback.html", "feedback.md"]
    assert git(remote, "rev-parse", "main") == main and files(remote, "main") == [BOOK]
    export(into, ada=8.0, ben=10.0)
    git(made, "push", "--quiet", str(remote), f"refs/heads/{ADA}:refs/heads/feedback")
    assert git(remote, "rev-list", "--count", "feedback") == "2"


def test_whoever_has_no_repository_is_named(into, collected, collect, capfd):
    collect({f"cleo/{BOOK}": ours(3)})
    made = export(into, ada=7.5, cleo=9.0)
    assert git(made, "branch", "--format=%(refname:short)") == ADA
    assert "No feedback for GitHub of cleo" in capfd.readouterr().out


def test_another_repository_is_not_written_to(into, collected, tmp_path):
    other = tmp_path / "github-feedback.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(other)], check=True)
    with pytest.raises(AssertionError):
        export(into, "--out", str(tmp_path), ada=7.5)
    assert objects(other) == []


@pytest.mark.parametrize(
    "name", ["a..b", "-a", "a.lock", "a.", ".a", "a b", "a\n", "a~1", "", "a/b"]
)
def test_names_that_are_no_branch_are_no_repository(name):
    assert not is_repository(name)
