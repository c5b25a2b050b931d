"""The second wall: a limit on this process; and how the machine's memory is shared."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.engine.limits import Limits, affordable_workers, machine_memory, memory
from autograder.engine.limits.memory import (
    EXAMINER_MEMORY,
    LIBRARIES_MEMORY,
    raise_if_out_of_memory,
)
from autograder.engine.limits.process import MEBIBYTE

pytestmark = pytest.mark.slow

GIBIBYTE = 1024 * MEBIBYTE
TAKES_MUCH = """
import torch
from autograder.engine.limits.memory import limited_memory, raise_if_out_of_memory
found = []
for take in (lambda n: bytearray(n), lambda n: torch.ones(n // 4)):
    with limited_memory(200 << 20):
        take(100 << 20)
        try:
            take(300 << 20)
        except (MemoryError, RuntimeError) as error:
            try:
                raise_if_out_of_memory(error)
            except MemoryError:
                found.append("stopped")
    take(300 << 20)
    found.append("free again")
print(found)
"""


def test_a_process_that_takes_too_much_is_stopped_and_is_free_again_afterwards():
    """A process of its own: by Python and by torch, which says so in words of its own."""
    run = [sys.executable, "-c", TAKES_MUCH]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert eval(said) == ["stopped", "free again"] * 2


def test_only_want_of_memory_is_want_of_memory():
    raise_if_out_of_memory(RuntimeError("The size of tensor a must match"))
    with pytest.raises(MemoryError):
        raise_if_out_of_memory(MemoryError())


def test_a_text_of_a_students_is_no_want_of_memory():
    """A name that is no key stands in the exception: whoever chose it would choose not to be graded."""
    words = "[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: can't allocate memory"
    raise_if_out_of_memory(KeyError(words))
    raise_if_out_of_memory(RuntimeError(f"no part is called {words}"))


@pytest.fixture
def machine(monkeypatch):
    """A machine of so many GiB."""
    return lambda size: monkeypatch.setattr(memory, "machine_memory", lambda: size * GIBIBYTE)


@pytest.mark.parametrize("size", [3, 4, 8, 16, 64])
def test_workers_and_their_candidates_never_take_more_than_there_is(size, machine):
    machine(size)
    taken = LIBRARIES_MEMORY + affordable_workers() * (Limits.memory + EXAMINER_MEMORY)
    assert taken <= size * GIBIBYTE


def test_a_small_machine_has_one_worker_all_the_same(machine):
    machine(1)
    assert affordable_workers() == 1


def test_the_machine_has_no_more_than_its_cgroup(tmp_path, monkeypatch):
    """Of version 2 and of version 1, its own and those that it is in; "max" is none."""
    for name, text in {
        "memory.max": "max",
        "one/memory.max": f"{3 * GIBIBYTE}",
        "one/two/memory.max": "max",
        "memory/x/memory.limit_in_bytes": f"{2 * GIBIBYTE}",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path)
    read, said = Path.read_text, {}
    monkeypatch.setattr(Path, "read_text", lambda path, *_: said.get(str(path)) or read(path))
    for lines, limit in (
        ("0::/one/two", 3 * GIBIBYTE),
        ("4:memory:/x\n2:cpu:/\n0::/", 2 * GIBIBYTE),
        ("4:memory:/x\n0::/one", 2 * GIBIBYTE),
    ):
        said["/proc/self/cgroup"] = lines
        assert machine_memory() == limit
    said["/proc/self/cgroup"] = "0::/elsewhere"
    assert machine_memory() > 3 * GIBIBYTE or machine_memory() % 4096 == 0
