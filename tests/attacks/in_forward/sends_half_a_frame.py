# state: timed_out
import os
import struct
import time

os.write(3, struct.pack(">II", 100, 0) + b"{")
time.sleep(60)
