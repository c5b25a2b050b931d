# int 0x80: getpid of i386, by machine code; elsewhere it just ends.
# state: crashed
import ctypes
import mmap
import os
import platform

if platform.machine() == "x86_64":
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
os._exit(0)
