"""What a stranger's bytes do to the process that reads them ends that one, and nothing else."""

import contextlib
import faulthandler
import multiprocessing
import os
import re
import signal
from itertools import count

import psutil
import pytest

from autograder.engine.limits import NoAnswer, OutOfBounds, bounded, run_bounded

pytestmark = pytest.mark.slow


def endless():
    for _ in count():
        pass


def endless_in_c():
    return re.match("(a+)+b", "a" * 99)


def refuses():
    raise ValueError("no")


def test_what_is_returned_and_what_is_raised_comes_from_another_process():
    assert run_bounded(os.getpid) != os.getpid()
    with pytest.raises(ValueError, match="no"):
        run_bounded(refuses)


def test_work_within_work_shares_its_process():
    here, within = run_bounded(lambda: (os.getpid(), run_bounded(os.getpid)))
    assert here == within


@pytest.mark.slow
@pytest.mark.parametrize("work", [endless, endless_in_c])
def test_what_never_ends_is_ended_by_the_kernel(work):
    with pytest.raises(OutOfBounds, match="takes more than 1 s of the processor"):
        run_bounded(work, seconds=1)


def test_memory_is_limited_beyond_what_this_process_has():
    room = bounded.MEMORY // 4
    assert run_bounded(lambda: len(bytes(room))) == room
    with pytest.raises(OutOfBounds, match="takes more than 1024 MiB of memory"):
        run_bounded(lambda: len(bytes(2 * bounded.MEMORY)))


def test_a_file_that_grows_without_end_does_not(tmp_path):
    def write():
        with (tmp_path / "file").open("wb") as file:
            file.write(bytes(2 * bounded.FILE_SIZE))

    with pytest.raises(OSError, match="File too large"):
        run_bounded(write)


def killed(number):
    faulthandler.disable()
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_parser_that_ends_its_process_is_the_works_own_fault(number):
    with pytest.raises(OutOfBounds, match="ends who reads it"):
        run_bounded(lambda: killed(number))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, 0])
def test_what_the_machine_ends_is_tried_again_and_nobodys_fault(tmp_path, number):
    def end():
        killed(number) if number else os._exit(0)

    def once():
        if not (tmp_path / "tried").exists():
            (tmp_path / "tried").touch()
            end()
        return "done"

    assert run_bounded(once) == "done"
    ending = signal.Signals(number).name if number else "exit status 0"
    with pytest.raises(NoAnswer, match=f"\\({ending}\\)"):
        run_bounded(end)


@pytest.mark.slow
def test_who_gets_no_time_of_the_clock_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(bounded, "PATIENCE", 0.2)
    with pytest.raises(NoAnswer):
        run_bounded(signal.pause)


def test_it_ends_where_nobody_is_left_to_hear_it():
    def kills_its_caller():
        os.kill(os.getppid(), signal.SIGKILL)
        return bytes(8 << 20)  # more than a pipe holds

    first, second = multiprocessing.Pipe(duplex=False)
    caller = os.fork()
    if caller == 0:
        run_bounded(lambda: (second.send(os.getpid()), kills_its_caller()))
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(caller, 0)[1]) == -signal.SIGKILL
    with contextlib.suppress(psutil.NoSuchProcess):
        reader = psutil.Process(first.recv())
        try:
            reader.wait(timeout=20)
        except psutil.TimeoutExpired:
            reader.kill()
            raise
