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
