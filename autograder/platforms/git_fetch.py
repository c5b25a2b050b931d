"""Clone or fetch the repositories of a class in parallel, and push feedback, with git itself.

git has the staff's passwords and keys, and unpacks received data in another process, with limits on
memory, time and file size. It fetches into a bare repository of ours, with settings that are
written before each fetch, and without hooks, templates, submodules or a work tree. A repository
with other contents is refused.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import time

from autograder.engine import AutograderError, files, printable, texts
from autograder.platforms.git_objects import MOST_BYTES, CloneRefused

AT_ONCE = 8
PATIENCE = 300  # seconds for one repository
MEMORY = 2 << 30  # bytes for one repository
LONGEST_ERROR = 200  # characters
EMPTY = "couldn't find remote ref HEAD"  # git's message in English, which LC_ALL selects
DEEPEST = 12  # folders in a repository
OURS = {"HEAD", "config", "objects", "refs", "packed-refs"}
FILES = {
    "HEAD": "ref: refs/heads/fetched\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
}
FETCH = """
    --no-pager -c core.hooksPath=/dev/null -c core.fsmonitor=false -c fetch.unpackLimit=1
    -c maintenance.auto=false -c gc.auto=0 fetch --quiet --force --no-tags --no-write-fetch-head
    --no-recurse-submodules --
""".split()
PUSH = "--no-pager -c core.hooksPath=/dev/null push --quiet --no-verify --".split()
FEEDBACK = "refs/heads/autograder-feedback"
ANYWHERE, ELSEWHERE = "https:ssh:file", "https:ssh"  # protocols
WHAT = ("+HEAD:refs/heads/fetched", "+refs/tags/submit/*:refs/tags/submit/*")


def fetch_all(top: Path, addresses: dict[str, str]) -> Iterator[str]:
    """Fetch each repository into its folder below `top`, and clone new ones. `addresses`: each
    repository's address by the name of its folder.

    For each repository, yield "" or a sentence on why it was not fetched. Commits that were fetched
    earlier stay. Raises `AutograderError` if git is not installed.
    """
    program = shutil.which("git")
    if program is None:
        raise AutograderError(
            "There is no git on this machine, which fetches repositories: install it."
        )
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda pair: _fetch(program, top, *pair), addresses.items())


def push_text(address: str, name: str, text: str) -> None:
    """Add a commit with the text as the file `name` to the branch `autograder-feedback` of the
    repository at this address. Its other commits and branches stay.

    Only for repositories on other machines. On this machine, git would run their hooks. Raises
    `OSError`, or `CloneRefused` if git refuses.
    """
    program, content = shutil.which("git") or "git", text.encode(errors="backslashreplace")
    head = f"commit {FEEDBACK}\ncommitter autograder <> {int(time())} +0000\ndata 8\nFeedback\n"
    with tempfile.TemporaryDirectory() as top:
        git, parent = Path(top, "feedback", ".git"), f"from {FEEDBACK}^0\n"
        _prepare(git, Path(top))
        try:
            _run([program, *FETCH, address, f"+{FEEDBACK}:{FEEDBACK}"], git, ELSEWHERE)
        except CloneRefused:  # no such branch yet; after any other error the push fails
            parent = ""
        commit = f"{head}{parent}M 644 inline {name}\ndata {len(content)}\n".encode() + content
        _run([program, "fast-import", "--quiet"], git, data=commit)
        _run([program, *PUSH, address, f"{FEEDBACK}:{FEEDBACK}"], git, ELSEWHERE)


def _fetch(program: str, top: Path, folder: str, address: str) -> str:
    git = top / folder / ".git"
    is_new = False
    try:
        is_new = _prepare(git, top)
        _run([program, *FETCH, address, *WHAT], git)
    except (OSError, CloneRefused) as error:
        reason = printable(texts.first_line(error, LONGEST_ERROR))
        reason = "it has no commit, nothing was pushed" if EMPTY in reason else reason
        if is_new:  # otherwise `collect` would report it again, as a clone without a commit
            shutil.rmtree(git.parent, ignore_errors=True)
        return f"`{printable(folder)}` was not fetched: {reason}."  # an address may hold a token
    return ""


def _prepare(git: Path, top: Path) -> bool:
    """Create an empty bare repository at `git`, or reset the settings of a repository that was
    created here. `top`: folder below which no link is followed. Return whether it is new.

    Raises `CloneRefused` if anything else is at this path.
    """
    is_new = files.kind_of(git.parent, top) is None
    if is_new:
        for name in ("objects", "refs"):
            (git / name).mkdir(parents=True)
    for parts, entry in files.walk(git, top, DEEPEST):
        if entry.kind != "file" or parts[0] not in OURS or parts[:2] == ("objects", "info"):
            raise CloneRefused(
                f"`{git.parent.name}` is not a clone of --fetch, or damaged; remove it"
            )
    for name, text in FILES.items():
        with files.replacing(git / name) as file:
            file.write(text)
    return is_new


def _environment(git: Path, protocols: str) -> dict[str, str]:
    # git's own variables could point to another repository
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return variables | {
        "LC_ALL": "C",
        "GIT_DIR": str(git.absolute()),
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": protocols,
    }


def _run(words: list[str], git: Path, protocols: str = ANYWHERE, data: bytes = b"") -> None:
    """Run git in the repository `git`, with limits on time, memory and file size. It asks for no
    password. `words`: command line. `protocols`: allowed protocols. `data`: standard input.

    Raises `CloneRefused` if it takes too long or fails. Then the message is the first line of its
    output.
    """
    with (
        tempfile.TemporaryFile() as output,  # a pipe would have no limit
        subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=_environment(git, protocols),
            cwd=git,
        ) as process,
    ):
        if sys.platform == "linux":
            import resource  # which other systems do not have

            resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))
        try:
            process.communicate(data, PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise CloneRefused(f"it took more than {PATIENCE} seconds") from error
        finally:
            process.kill()
        output.seek(0)
        lines = output.read(1 << 16).decode("utf-8", "replace").splitlines()
        if process.returncode:
            status = f"git ends with {process.returncode}"
            raise CloneRefused(next(filter(str.strip, lines), status))
