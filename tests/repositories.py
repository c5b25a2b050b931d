"""Repositories of students, ordinary or made to do harm, and folders of clones of them."""

import os
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "A student",
    "GIT_AUTHOR_EMAIL": "student@example.com",
    "GIT_COMMITTER_NAME": "A student",
    "GIT_COMMITTER_EMAIL": "student@example.com",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}
NOON = "2026-11-20T12:00:00+01:00"


def git(folder: Path, *words: str, when: str = NOON, data: bytes = b"") -> str:
    """Run git as a student would; return what it prints."""
    environment = {**os.environ, **IDENTITY, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    done = subprocess.run(
        ["git", "-C", str(folder), *words], env=environment, input=data, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def commit(folder: Path, files: dict[str, bytes], when: str = NOON) -> str:
    """Commit these files, in a repository that is made if there is none; return the commit."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    git(folder, "add", "--force", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "Work", when=when)
    return git(folder, "rev-parse", "HEAD")


def commit_tree(folder: Path, listed: str, message: str = "Work") -> str:
    """Commit a tree of `git mktree`'s lines, which may hold what no work tree can."""
    tree = git(folder, "mktree", "--missing", data=listed.encode())
    made = git(folder, "commit-tree", tree, "-m", message)
    git(folder, "update-ref", "refs/heads/main", made)
    return made
