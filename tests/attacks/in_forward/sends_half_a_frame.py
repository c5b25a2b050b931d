# state: timed_out
# proof: sends 9 bytes of 108
import os
import struct
import time

prove("sends", 9, "bytes of", 108)
os.write(3, struct.pack(">II", 100, 0) + b"{")
time.sleep(60)
