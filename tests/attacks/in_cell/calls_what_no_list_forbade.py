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
