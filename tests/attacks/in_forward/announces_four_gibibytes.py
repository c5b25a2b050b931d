# state: crashed
import os
import struct

os.write(3, struct.pack(">II", 2**32 - 1, 8))
