# state: crashed
# proof: sent 8 bytes
import os
import struct

prove("sent", len(struct.pack(">II", 2**32 - 1, 8)), "bytes")
os.write(3, struct.pack(">II", 2**32 - 1, 8))
