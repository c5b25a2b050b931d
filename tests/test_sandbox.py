"""What a candidate can reach: the channel, two small folders, and nothing else."""

import os
import time

import pytest

from autograder.examiner.sitting import Sitting
from autograder.repair import Page, Submission
from autograder.sandbox import Limits, NoWalls, SandboxError, choose_walls


@pytest.fixture(scope="module")
def inside(walls):
    """Run Python behind the walls; return what it printed."""

    def run(source: str, limits: Limits = Limits()) -> str:
        with Sitting(walls, limits, Submission([Page("cell", "code", source, None)])) as sitting:
            sitting.run_cells()
        outputs = sitting.outputs["cell"]
        assert [output["kind"] for output in outputs] == ["stream"], outputs
        return outputs[0]["text"].decode().strip()

    return run


def attempt(action: str) -> str:
    return f"try:\n    print('done', {action})\nexcept Exception as error:\n    print('refused', type(error).__name__)"


def test_the_environment_of_the_host_stays_outside(inside, monkeypatch):
    monkeypatch.setenv("TOKEN", "a-secret-of-the-host")
    text = inside(
        "import os; print(dict(os.environ), open('/proc/1/environ').read(), open('/proc/1/cmdline').read())"
    )
    assert "a-secret-of-the-host" not in text and "HOME" in text


def test_the_folders_of_the_host_are_not_there(inside):
    system = {"lib", "lib64", "usr", "proc", "dev", "tmp"}
    ours = {"app", "desk", "packages", "python"}  # python: unless it is the system's own
    folders = set(inside("import os; print(*os.listdir('/'))").split())
    assert {"app", "desk", "packages"} <= folders <= system | ours


def test_other_processes_are_not_there(inside):
    assert (
        inside("import os; print([name for name in os.listdir('/proc') if name.isdigit()])")
        == "['1', '2']"
    )


@pytest.mark.parametrize(
    "action",
    [
        "__import__('socket').create_connection(('127.0.0.1', 9), 1)",
        "__import__('socket').socket(__import__('socket').AF_INET)",
        "__import__('os').fork()",
        "__import__('subprocess').run(['/python/bin/python3', '-c', '0'])",
        "__import__('ctypes').CDLL(None, use_errno=True).unshare(0x10000000) == 0 or 1 / 0",
        "open('/app/autograder/channel.py', 'a')",
        "open('/note', 'w')",
        "open('/packages/note', 'w')",
        "__import__('os').kill(3, 9)",
    ],
)
def test_a_wall_refuses(inside, action):
    assert inside(attempt(action)).startswith("refused")


def test_the_reaper_of_the_namespace_is_behind_the_same_filter(inside):
    status = "open('/proc/{}/status').read()"
    for line in ("Seccomp:\\t2", "NoNewPrivs:\\t1", "CapEff:\\t0000000000000000"):
        found = (f"'{line}' in {status.format(process)}" for process in (1, "self"))
        assert inside(f"print({' and '.join(found)})") == "True"


def test_a_private_folder_can_be_written_and_is_gone_afterwards(inside):
    assert inside("import os; print(os.listdir('.'), open('note', 'w').write('x'))") == "[] 1"
    assert inside("import os; print(os.listdir('.'))") == "[]"


def test_a_file_has_a_largest_size(inside):
    assert inside(attempt("open('big', 'wb').write(b'x' * (80 << 20))")).startswith("refused")


def test_ending_leaves_no_process_behind(walls):
    process = walls.start(Limits())
    pid = process.popen.pid
    process.end()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_without_user_namespaces_there_are_no_grades_and_a_sentence_that_helps(monkeypatch):
    monkeypatch.setattr("autograder.sandbox._namespaces", lambda: ["--unshare-all", "--uid", "no"])
    with pytest.raises(SandboxError, match="User namespaces must be allowed: on Ubuntu 24.04"):
        choose_walls("require")
    assert choose_walls("auto").level == "practice"


def test_without_walls_the_level_is_practice(walls):
    assert NoWalls().level == "practice" != walls.level
    process = NoWalls().start(Limits())
    process.channel.send({"operation": "recorded", "arguments": {}, "token": "t"})
    assert process.channel.receive(time.monotonic() + 20) == {"value": [], "token": "t"}
    process.end()
