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
