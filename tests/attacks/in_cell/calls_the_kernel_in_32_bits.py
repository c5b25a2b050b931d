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
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    prove("it answered")
os._exit(0)
