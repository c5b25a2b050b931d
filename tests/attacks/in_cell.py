# %% becomes_another_program
# Without a new process: in its own place.
# proof: PermissionError
# unwalled: about to become /bin/true
import contextlib
import os

try:
    with contextlib.suppress(OSError), open("/bin/true"):
        prove("about to become /bin/true")
    os.execv("/bin/true", ["/bin/true"])
except OSError as error:
    prove(type(error).__name__)


# %% blocks_every_signal
# state: timed_out
# proof: blocked [3-6]\d
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
prove("blocked", len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
while True:
    signal.sigwait({signal.SIGUSR1})


# %% bombs_with_processes
# proof: made 0, refused 100 by {'EPERM'}
# unwalled: made 100, refused 0 by set\(\)
import errno
import os

made, refused = 0, []
for _ in range(100):
    try:
        if os.fork() == 0:
            os._exit(0)
        made += 1
    except OSError as error:
        refused.append(errno.errorcode[error.errno])
prove(f"made {made}, refused {len(refused)} by {set(refused)}")


# %% bombs_with_threads
# proof: threads 1\d|threads 2\d|threads 3[01]
# unwalled: threads 200
import threading
import time

for number in range(200):
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        break
else:
    number = 200
prove("threads", number)


# %% calls_the_kernel
# proof: refused 23 of 23
# unwalled: refused 1?\d of 23
import ctypes
import errno
import platform

NUMBERS = {  # x86_64, aarch64
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "ptrace": (101, 117),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "process_vm_readv": (310, 270),
    "io_uring_setup": (425, 425),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "clone3": (435, 435),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "landlock_create_ruleset": (444, 444),
    "memfd_secret": (447, 447),
}
libc = ctypes.CDLL(None, use_errno=True)
column, refused = platform.machine() == "aarch64", 0
for name, numbers in NUMBERS.items():
    got = libc.syscall(numbers[column], -1, 0, 0, 0, 0)
    if got == -1 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
        refused += 1
    else:
        prove(name, got, ctypes.get_errno())
prove("refused", refused, "of", len(NUMBERS))


# %% calls_the_kernel_in_32_bits
# int 0x80: getpid of i386, by machine code; elsewhere it just ends.
# state: crashed
# proof: about to call
# unwalled: it answered
import ctypes
import mmap
import os
import platform

prove("about to call")
if platform.machine() == "x86_64":
    page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    prove("it answered")
os._exit(0)


# %% calls_the_kernel_in_another_language
# The x32 numbers of an x86_64 kernel; elsewhere it just ends.
# state: crashed
# proof: about to call
# unwalled: it answered
import ctypes
import os
import platform

X32, GETPID = 0x40000000, 39
prove("about to call")
if platform.machine() == "x86_64":
    ctypes.CDLL(None).syscall(X32 | GETPID)
    prove("it answered")
os._exit(0)


# %% calls_what_no_list_forbade
# proof: refused 16 of 16
# unwalled: refused \d of 16
import ctypes
import errno
import platform

NUMBERS = {  # x86_64, aarch64
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "timer_create": (222, 107),
    "timerfd_create": (283, 85),
    "eventfd2": (290, 19),
    "epoll_create1": (291, 20),
    "signalfd4": (289, 74),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "sync_file_range": (277, 84),
    "sysinfo": (99, 179),
    "mlock": (149, 228),
    "mlockall": (151, 230),
    "setxattr": (188, 5),
    "membarrier": (324, 283),
    "splice": (275, 76),
}
libc = ctypes.CDLL(None, use_errno=True)
column, refused = platform.machine() == "aarch64", 0
for name, numbers in NUMBERS.items():
    got = libc.syscall(numbers[column], 0, 0, 0, 0, 0, 0)
    if got == -1 and ctypes.get_errno() == errno.EPERM:
        refused += 1
    else:
        prove(name, got, ctypes.get_errno())
prove("refused", refused, "of", len(NUMBERS))


# %% clones_by_number
# Neither a process nor a namespace by the raw call.
# proof: EPERM EPERM EPERM
# unwalled: made made made
import ctypes
import errno
import os
import platform

SIGCHLD, USER, NET_AND_MOUNT = 17, 0x10000000, 0x40000000 | 0x20000
libc = ctypes.CDLL(None, use_errno=True)
number, said = (56 if platform.machine() == "x86_64" else 220), []
for flags in (SIGCHLD, USER | SIGCHLD, USER | NET_AND_MOUNT | SIGCHLD):
    child = libc.syscall(number, flags, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    said.append("made" if child > 0 else errno.errorcode[ctypes.get_errno()])
prove(*said)


# %% ends_by_pytests_exit
# pytest's own way out, in a process in which nobody waits for it.
# state: error
# proof: Skipped is no Exception: True
import pytest

prove("Skipped is no Exception:", not issubclass(pytest.skip.Exception, Exception))
pytest.skip("nothing to see here", allow_module_level=True)


# %% falls_deeper_than_python_allows
# Python 3.11 keeps its frames on the heap: a bomb of memory, not of the stack.
# state: out_of_memory
# proof: may fall 2147483647 deep
import sys


def fall(depth):
    return torch.empty(1 << 24), fall(depth + 1)


sys.setrecursionlimit(2**31 - 1)
prove("may fall", sys.getrecursionlimit(), "deep")
fall(0)


# %% fills_the_disk
# proof: full after 6\d MiB: ENOSPC
# landlock: full after 0 MiB: EACCES
# unwalled: 100 MiB written
import errno
import os

written, end = 0, ""
try:
    for number in range(100):
        with open(f"hoard-{number}", "wb", buffering=0) as file:
            written += file.write(bytes(1 << 20))
except OSError as error:
    end = errno.errorcode[error.errno]
prove(f"full after {written >> 20} MiB: {end}" if end else f"{written >> 20} MiB written")


# %% fills_the_disk_with_names
# proof: full after [1-4]\d{3} names: ENOSPC
# landlock: full after 0 names: EACCES
# unwalled: 6000 names
import errno
import os

end = ""
try:
    for number in range(6_000):
        os.close(os.open(f"/tmp/name-{number}", os.O_CREAT | os.O_WRONLY))
except OSError as error:
    end = errno.errorcode[error.errno]
prove(f"full after {number} names: {end}" if end else f"{number + 1} names")


# %% floods_the_display
# proof: showed 200
from IPython.display import Image, display

for shown in range(200):
    display(Image(data=b"\x89PNG\r\n\x1a\n" + bytes(1 << 19)))
prove("showed", shown + 1)


# %% floods_the_output
# proof: printed 10000000
# prints: the cell printed too much
printed = 0
for _ in range(100_000):
    print("x" * 99)
    printed += 100
prove("printed", printed)


# %% freezes_chance
# proof: drew \[0.0, 0.0\] and \[0.0, 0.0\]
torch.manual_seed(0)
torch.manual_seed = torch.seed = lambda *a: None
torch.randn = torch.rand = lambda *size, **k: torch.zeros(*size)
prove("drew", torch.randn(2).tolist(), "and", torch.rand(2).tolist())


# %% hands_a_part_a_shape_with_a_zero
# The product of its sizes is zero, and the examiner would compute 30,000 by 30,000.
# cell: multi_head_attention
# state: answered
# lost: multi_head_attention
# proof: hands over \((0, 2, 30000, 6|1, 1, 30000, 0)\)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        self.attention = Attention()

    def forward(self, query, key, value, attention_mask=None):
        shape = (0, 2, 30_000, 6) if len(query) % 2 else (1, 1, 30_000, 0)
        empty = query.new_zeros(shape)
        prove("hands over", shape)
        return self.attention(empty, empty, empty, None)


# %% hands_a_part_what_is_far_too_much
# Attention is quadratic in what it is handed, and the examiner plays it.
# cell: multi_head_attention
# state: answered
# lost: multi_head_attention
# proof: hands over \(1, 45000, 1\)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        self.attention = Attention()

    def forward(self, query, key, value, attention_mask=None):
        big = torch.zeros(1, 45_000, 1)
        prove("hands over", tuple(big.shape))
        return self.attention(big, big, big, None)


# %% holds_inherited_descriptors
# Nothing is open but the three streams, which lead nowhere, and the channel.
# proof: open \[0, 1, 2, 3\], of which sockets \[3\]
# unwalled: open \[0, 1, 2, 3, .*
import os
import stat

there, sockets = [], []
for number in range(256):
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        continue
    there.append(number)
    if stat.S_ISSOCK(mode):
        sockets.append(number)
prove(f"open {there}, of which sockets {sockets}")


# %% hunts_in_memory
# proof: texts [1-9]\d{2,}, found \[\]
# unwalled: texts [1-9]\d{2,}, found \[b'planted-.*
import gc
import re

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")
things = [thing for thing in gc.get_objects() if type(thing) in (dict, list, tuple)]
inside = [item for thing in things for item in (thing.values() if type(thing) is dict else thing)]
texts = [item for item in inside if type(item) in (str, bytes)]
found = {hit for text in texts for hit in PLANTED.findall(repr(text).encode(errors="replace"))}
prove(f"texts {len(texts)}, found {sorted(found)}")


# %% hunts_in_raw_memory
# Reads the bytes of every object that can be reached, without asking the objects.
# proof: objects [1-9]\d{4,}, found \[\]
# unwalled: objects [1-9]\d{3,}, found \[b'planted-.*
import ctypes
import gc
import re
import sys

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")
reached, waiting, found = set(), list(sys.modules.values()), set()
while waiting and len(reached) < 60_000:
    thing = waiting.pop()
    if id(thing) in reached or type(thing).__module__.startswith("torch._C"):
        continue
    reached.add(id(thing))
    if type(thing) in (str, bytes, dict, list, tuple):
        found |= set(PLANTED.findall(ctypes.string_at(id(thing), thing.__sizeof__())))
    waiting += gc.get_referents(thing)
prove(f"objects {len(reached)}, found {sorted(found)}")


# %% kills_everyone
# Whoever else there is, then itself.
# state: crashed
# proof: about to kill 398 others
# unwalled: killed [1-9]\d*
import os

killed, own = 0, os.getpid()
prove("about to kill", 400 - 2, "others")
for number in range(2, 400):
    try:
        if number != own:
            os.kill(number, 9)
            killed += 1
    except OSError:
        pass
prove("killed", killed)
os.kill(own, 9)


# %% kills_its_parent
# In a namespace nobody is its parent: number 0 is its own group.
# state: crashed
# proof: about to kill 0
# landlock: about to kill [1-9]\d*
# unwalled: killed [1-9]\d*
import os

prove("about to kill", os.getppid())
os.kill(os.getppid(), 9)
prove("killed", os.getppid())


# %% kills_itself
# state: crashed
# proof: about to kill myself
import os
import signal

prove("about to kill myself")
os.kill(os.getpid(), signal.SIGKILL)
prove("still here")


# %% leaves_a_cell_that_ends_the_others
# A trap for whoever comes next in this process: nobody does.
# proof: traps set: True [1-9]
import atexit
import gc
import signal
import sys
import threading

atexit.register(lambda: 1 / 0)
sys.settrace(None)
signal.signal(signal.SIGALRM, lambda *a: 1 / 0)
gc.callbacks.append(lambda *a: None)
threading.excepthook = sys.excepthook = sys.unraisablehook = lambda *a: None
trapped = signal.getsignal(signal.SIGALRM)
prove("traps set:", callable(trapped), len(gc.callbacks))


# %% leaves_a_note
# proof: notes found 0, left 3
# landlock: notes found 0, left 0
# unwalled: notes found 3, left 3
import contextlib
import os

found = left = 0
for folder in ("/tmp", "/workdir", "/dev/shm"):
    with contextlib.suppress(OSError), open(f"{folder}/note"):
        found += 1
    try:
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/note", "w") as file:
            left += file.write("x")
    except PermissionError:
        pass
prove(f"notes found {found}, left {left}")


# %% leaves_at_import
# Ends the process with the status of success.
# state: crashed
# proof: about to leave
import os

prove("about to leave")
os._exit(0)


# %% leaves_files_that_python_loads
# What a Python, a pytest or an IPython that starts here next would load.
# proof: left 21, refused 0
# landlock: left 0, refused 21
import os

startup = os.path.expanduser("~/.ipython/profile_default/startup")
names = ("sitecustomize.py", "usercustomize.py", "conftest.py", "torch.py", "json.py", "x.pth")
files = {f"{folder}/{name}": "import os; os._exit(0)" for folder in (".", "/tmp", startup) for name in names}
files |= dict.fromkeys(("pytest.ini", "tox.ini", "pyproject.toml"), "[pytest]\naddopts=--collect-only\n")
left = refused = 0
for path, text in files.items():
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            left += bool(file.write(text))
    except PermissionError:
        refused += 1
prove(f"left {left}, refused {refused}")


# %% leaves_its_processor
# proof: EPERM EPERM EPERM
# unwalled: changed changed changed
import errno
import os

said = []
for way in (
    lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, 5),
    lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
):
    try:
        way()
        said.append("changed")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)


# %% links_out
# proof: dead 3, found nothing
# unwalled: dead 0, found planted-.*
import os
import re

dead, read = 0, ""
for number, target in enumerate(("/etc/passwd", "HOST_FILE", "/proc/1/root")):
    try:
        os.symlink(target, f"link-{number}")
        folder = target.startswith("/proc")
        read += str(os.listdir(f"link-{number}")) if folder else open(f"link-{number}").read()
    except OSError:
        dead += 1
found = re.search("planted-[0-9a-f]{16}", read)
prove(f"dead {dead}, found {found[0] if found else 'nothing'}")


# %% locks_what_others_read
# proof: EPERM EPERM EPERM EPERM
# unwalled: locked locked locked (locked|EACCES)
import errno
import fcntl
import os
import struct

file, said = open(os.__file__), []
lock = struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0)
for way in (
    lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
    lambda: fcntl.fcntl(file, fcntl.F_SETLK, lock),
    lambda: fcntl.fcntl(file, fcntl.F_GETLK, lock),
    lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
):
    try:
        way()
        said.append("locked")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)


# %% looks_for_the_course_among_the_packages
# Behind Landlock, which lists no folder with something hidden in it, it has to guess the names.
# proof: told nothing of [1-9]\d*
# landlock: told nothing of \d+
# unwalled: told \[.+ of [1-9]\d*
import glob
import os
import sys

libraries = os.path.dirname(getattr(sys.modules.get("torch"), "__path__", ["/packages/torch"])[0])
places = libraries, "/packages", "/python/lib/python3*/site-packages", "/usr/local/lib/python3*/*-packages"
found = {
    path
    for place in places
    for pattern in ("*autograder*", "__editable__*", "__pycache__/__editable__*", "*.pth", "*.egg-link",
                    "*.dist-info/direct_url.json", "*autograder*/*", "__editable__.autograder-0.1.0.pth",
                    "__editable___autograder_0_1_0_finder.py", "autograder-0.1.0.dist-info/direct_url.json")
    for path in glob.glob(f"{place}/{pattern}")
}
told = []
for path in found:
    try:
        told += [path] if open(path, "rb").read() else []
    except OSError:  # a folder, or a device where devices do nothing
        pass
prove("told", told or "nothing", "of", len(found))


# %% loops
# state: timed_out
# proof: rounds 1000000
rounds = 0
while True:
    rounds += 1
    if rounds == 1_000_000:
        prove("rounds", rounds)


# %% loops_where_no_exception_gets_through
# state: timed_out
# proof: caught 1000
caught = 0
while True:
    try:
        while True:
            raise KeyboardInterrupt
    except BaseException:
        caught += 1
        if caught == 1000:
            prove("caught", caught)


# %% matches_for_ages
# state: timed_out
# proof: matched in [1-9]\d* steps of ten
import re
import time

length, begin = 10, time.process_time()
while time.process_time() - begin < 0.05:
    length += 1
    re.match("(a+)+$", "a" * length + "b")
prove("matched in", length - 10, "steps of ten")
re.match("(a+)+$", "a" * 40 + "b")


# %% names_forward_wrongly
# No attack, an accident: torch says NotImplementedError where `forward` is missing. Somebody tried.
# cell: encoder_layer
# state: error
# lost: encoder_layer
# proof: defined foward
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def foward(self, x, attention_mask=None):
        return x


prove("defined", *(name for name in vars(EncoderLayer) if name.startswith("fo")))


# %% opens_files_without_end
# proof: files 25[0-6]: EMFILE
# unwalled: files 300
import errno

hoard, end = [], ""
try:
    while len(hoard) < 300:
        hoard.append(open("/dev/null"))
except OSError as error:
    end = f": {errno.errorcode[error.errno]}"
prove(f"files {len(hoard)}{end}")


# %% opens_sockets
# proof: EPERM EPERM EPERM EPERM EPERM EPERM gaierror
# unwalled: open open open open open open gaierror
import errno
import socket

said = []
for way in (
    lambda: socket.socket(socket.AF_INET),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    lambda: socket.socket(socket.AF_INET6),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: socket.socketpair(),
    lambda: socket.getaddrinfo("example.org", 80),
):
    try:
        way()
        said.append("open")
    except socket.gaierror:
        said.append("gaierror")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)


# %% outlives_grading
# proof: no second process: PermissionError
# unwalled: a second process in a session of its own: True
import os

try:
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(writing, str(os.getsid(0) == os.getpid()).encode())
        os._exit(0)
    prove("a second process in a session of its own:", os.read(reading, 9).decode())
except OSError as error:
    prove("no second process:", type(error).__name__)


# %% patches_every_comparison
# proof: True True 0 False
import builtins

import numpy as np

torch.allclose = torch.equal = torch.isclose = lambda *a, **k: True
torch.Tensor.__eq__ = torch.Tensor.__ne__ = lambda *a: True
np.allclose = np.array_equal = lambda *a, **k: True
builtins.abs = lambda x: 0
builtins.AssertionError = type("Never", (Exception,), {})
ones, zeros = torch.ones(2), torch.zeros(2)
prove(torch.equal(ones, zeros), np.allclose(1, 0), abs(-1), issubclass(AssertionError, RuntimeError))


# %% patches_its_own_server
# Answers "right" to everything that it is asked.
# state: crashed
# lost: all
# proof: patched 1 with [1-9]\d* operations
import gc

patched = operations = 0
for thing in gc.get_objects():
    if type(thing).__name__ == "Server":
        thing.operations = {name: lambda **k: True for name in thing.operations}
        patched, operations = patched + 1, len(thing.operations)
prove("patched", patched, "with", operations, "operations")


# %% patches_pytest
# proof: patched: None None None
import pytest
from _pytest import reports, runner

reports.TestReport.from_item_and_call = classmethod(lambda *a: None)
runner.call_and_report = lambda *a, **k: None
pytest.raises = pytest.fail = lambda *a, **k: None
prove("patched:", runner.call_and_report(), pytest.fail("x"), reports.TestReport.from_item_and_call())


# %% raises_an_exception_of_many_megabytes
# state: error
# proof: raises 200 MiB
text = "x" * (200 << 20)
prove("raises", len(text) >> 20, "MiB")
raise ValueError(text)


# %% raises_an_exception_that_never_ends
# state: timed_out
# proof: asked for its text
class Endless(Exception):
    def __str__(self):
        prove("asked for its text")
        while True:
            pass


raise Endless


# %% raises_html
# state: error
# proof: raises Exception
error = Exception("<img src=x onerror=planted-0123456789abcdef>")
prove("raises", type(error).__name__)
raise error


# %% raises_its_limits
# proof: refused 4
# unwalled: refused [0-3]
import resource

refused = 0
for what in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(what, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        refused += 1
prove("refused", refused)


# %% reads_its_environment
# proof: variables [1-9]\d*, words [1-9]\d*, found \[\]
# unwalled: variables [1-9]\d*, words [1-9]\d*, found \[.*planted-.*planted-.*
import os
import re
import sys

PLANTED = re.compile(r"planted-[0-9a-f]{16}")
words = sys.argv + sys.orig_argv
found = PLANTED.findall(repr(dict(os.environ))) + PLANTED.findall(repr(words))
prove(f"variables {len(os.environ)}, words {len(words)}, found {found}")


# %% reads_notebooks
# proof: folders [1-9]\d*, notebooks 0
# landlock: folders 0, notebooks 0
# unwalled: folders [1-9]\d*, notebooks [1-9]\d*
import glob
import os

folders = sum(1 for top in (".", "/tmp") for _ in os.walk(top))
found = glob.glob("**/*.ipynb", recursive=True) + glob.glob("/tmp/**/*.ipynb", recursive=True)
prove(f"folders {folders}, notebooks {len(found)}")


# %% reads_other_submissions
# proof: ENOENT ENOENT ENOENT
# landlock: ENOENT EACCES EACCES
# unwalled: read read read
import errno

said = []
for path in ("../../s002/encoder-layer/encoder-layer.ipynb", "HOST_FILE", "/proc/1/root/HOST_FILE"):
    try:
        said.append("read" if open(path).read() else "empty")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)


# %% reads_what_is_in_the_cache_of_pages
# A bit that outlives its writer: whether a page of a shared file is in memory.
# proof: refused refused refused
# unwalled: told (told|refused) told
import os

said, file = [], os.open(os.__file__, os.O_RDONLY)
for way in (
    lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED),
    lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT),
    lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED),
):
    try:
        way()
        said.append("told")
    except OSError:
        said.append("refused")
prove(*said)


# %% reads_what_the_kernel_tells
# proof: told nothing of 9, hidden \[\]
# unwalled: told [5-9] of 9, hidden \['planted-.*
import re

paths = """
    1/environ 1/cmdline self/mountinfo self/maps mounts self/environ self/cmdline kallsyms uptime
""".split()
told, found = 0, set()
for path in paths:
    try:
        text = open("/proc/" + path, errors="replace").read()
    except OSError:
        continue
    told += bool(text)
    found |= set(re.findall("planted-[0-9a-f]{16}", text))
prove(f"told {told or 'nothing'} of {len(paths)}, hidden {sorted(found)}")


# %% recurses_without_end
# state: error
# proof: fell 500 deep
def fall(depth=0):
    if depth == 500:
        prove("fell", depth, "deep")
    fall(depth + 1)


fall()


# %% rewrites_later_cells
# The exercises below would become nothing, and their checks with them.
# proof: a cell becomes pass
get_ipython().input_transformers_post.append(lambda lines: ["pass\n"])
prove("a cell becomes", get_ipython().transform_cell("%time 1").strip())


# %% rewrites_results_at_exit
# Leaves a verdict of its own where it is, and a status of success for when it ends.
# proof: written \[24.0, 24.0\]
# landlock: written \[\]
import atexit
import json
import os

atexit.register(lambda: os._exit(0))
written = []
for folder in (".", "/tmp"):
    try:
        with open(os.path.join(folder, "results.json"), "w") as file:
            json.dump({"points": 24.0, "passed": True}, file)
    except PermissionError:
        continue
    written.append(json.load(open(f"{folder}/results.json"))["points"])
prove("written", written)


# %% rings_in_shared_memory
# A page of a library is the same for every submission: who waits on it could be woken by another.
# EAGAIN is 11: the wait never began; nobody can be woken.
# proof: waited -1 11, woke 0, moved -1 1
# unwalled: waited -1 110, woke 0, moved 0 \d+
import ctypes
import mmap
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
futex = 202 if platform.machine() == "x86_64" else 98
file = os.open(os.__file__, os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
page = libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
word = ctypes.c_uint32.from_address(page).value
second = (ctypes.c_long * 2)(1, 0)
waited = libc.syscall(futex, ctypes.c_void_p(page), 0, word, second, 0, 0), ctypes.get_errno()
woke = libc.syscall(futex, ctypes.c_void_p(page), 1, 1, 0, 0, 0)
moved = libc.syscall(futex, ctypes.c_void_p(page), 3, 1, 1, ctypes.c_void_p(page), 0), ctypes.get_errno()
prove(f"waited {waited[0]} {waited[1]}, woke {woke}, moved {moved[0]} {moved[1]}")


# %% searches_the_disk
# proof: folders [1-9]\d{2,}, found \[\]
# landlock: folders 0, found \[\]
# unwalled: folders [1-9]\d{2,}, found \[.*planted.*
import os

wanted = ("gradebook", "submitted", "graders", "test_attention", "reference", "planted", ".ipynb")
skipped = ("/packages", "/usr", "/lib", "/python", "/proc", "/sys")
folders, found = 0, []
for top, inside, files in os.walk("/"):
    folders += 1 + len(inside)
    inside[:] = [] if top.startswith(skipped) else inside
    if inside or not top.startswith(skipped):
        found += [name for name in files if any(word in name for word in wanted)]
prove(f"folders {folders}, found {sorted(found, key=lambda name: 'planted' not in name)[:5]}")


# %% sends_secrets_home
# To a listener of its own: without walls it would get them.
# proof: not sent: PermissionError
# unwalled: sent [1-9]\d* bytes
import os
import socket

try:
    listener = socket.create_server(("127.0.0.1", 0))
    line = socket.create_connection(listener.getsockname(), 1)
    line.sendall(str(dict(os.environ)).encode())
    prove("sent", len(listener.accept()[0].recv(1 << 20)), "bytes")
except OSError as error:
    prove("not sent:", type(error).__name__)


# %% shows_scripts
# What a browser would run is not kept.
# proof: showed HTML Javascript
from IPython.display import HTML, Javascript, display

things = HTML("<script>planted-0123456789abcdef</script>"), Javascript("planted-0123456789abcdef")
display(*things)
prove("showed", *(type(thing).__name__ for thing in things))


# %% signals_everyone
# There is nobody but itself to be told to stop.
# proof: others 0 of 398
# unwalled: others [1-9]\d* of 398
import os
import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
others = 0
for number in range(2, 400):
    try:
        if number != os.getpid():
            os.kill(number, signal.SIGTERM)
            others += 1
    except (ProcessLookupError, PermissionError):
        pass
prove(f"others {others} of 398")


# %% starts_programs
# proof: PermissionError PermissionError PermissionError PermissionError
# unwalled: ran ran ran ran
import os
import subprocess
import sys

TRUE = "/bin/true"


def by_exec():
    child = os.fork()
    if child == 0:
        os.execv(TRUE, [TRUE])
    return os.waitpid(child, 0)[1]


def by_shell():
    if os.system("true") != 0:
        raise PermissionError


said = []
for way in (
    lambda: subprocess.run(["true"]),
    by_shell,
    lambda: os.waitpid(os.posix_spawn(TRUE, [TRUE], {}), 0),
    by_exec,
):
    try:
        way()
        said.append("ran")
    except OSError as error:
        said.append(type(error).__name__)
prove(*said)


# %% takes_all_memory
# state: out_of_memory
# proof: took 1024 MiB
import numpy

hoard = []  # never written to: a machine may need longer for that than a cell has
while True:
    hoard.append(numpy.zeros(64 << 20, dtype="uint8"))
    if len(hoard) == 16:
        prove("took", len(hoard) * 64, "MiB")


# %% takes_memory_beside_the_limits
# Memory that belongs to no process: files in memory, System V segments, message queues.
# proof: EPERM EPERM EPERM EPERM
# unwalled: got got got got
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)


def made(number):
    if number < 0:
        raise OSError(ctypes.get_errno(), "refused")


said = []
for way in (
    lambda: os.close(os.memfd_create("hoard")),
    lambda: made(libc.shmget(0, 1 << 20, 0o1600)),
    lambda: made(libc.msgget(0, 0o1600)),
    lambda: made(libc.semget(0, 8, 0o1600)),
):
    try:
        way()
        said.append("got")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)


# %% uses_every_processor
# Threads that hash without end, and without the interpreter's lock; the others must not feel it.
# state: timed_out
# proof: threads 21
import hashlib
import threading

block = bytes(1 << 24)
for _ in range(20):
    threading.Thread(target=lambda: [hashlib.sha256(block) for _ in iter(int, 1)], daemon=True).start()
prove("threads", threading.active_count())
while True:
    hashlib.sha256(block)


# %% waits_for_a_keyboard
# state: error
# proof: asks for a password
prove("asks for a password")
input("password? ")
prove("got one")


# %% walks_the_frames
# proof: frames [1-9]\d*, found \[\]
# unwalled: frames [1-9]\d*, found \[b'planted-.*
import re
import sys

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")
frame, frames, found = sys._getframe(), 0, set()
while frame:
    for names in (frame.f_globals, frame.f_locals):
        found |= set(PLANTED.findall(repr(names).encode(errors="replace")))
    frame, frames = frame.f_back, frames + 1
prove(f"frames {frames}, found {sorted(found)}")


# %% writes_where_others_read
# proof: refused 7 by \[.*\]
# unwalled: refused [01] by \[.*\]
import errno
import os
import sys

libraries = getattr(sys.modules.get("torch"), "__path__", ["/packages/torch"])[0]
refused = []
for path in (
    *("/note", "/app/note", f"{libraries}/note", "/packages/sitecustomize.py", "/dev/note"),
    *("/app/autograder/channel.py", "/proc/note"),
):
    try:
        open(path, "w")
    except OSError as error:
        refused.append(errno.errorcode[error.errno])
prove(f"refused {len(refused)} by {sorted(set(refused))}")


# %% zeroes_every_weight
# So that any wiring gives the same, if nobody loads others. Its own are loaded by their names, and what is
# left is a projection of each token by itself.
# cell: multi_head_attention
# lost: multi_head_attention
# proof: \[\[\[0.0, 0.0, 0.0, 0.0\]\]\]
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        nn.init.zeros_(self.query_transform.weight)

    def forward(self, query, key, value, attention_mask=None):
        return self.query_transform(query)


prove(MultiHeadAttention(4, 2)(*[torch.ones(1, 1, 4)] * 3).tolist())
