# state: crashed
# proof: sends 4096 bytes
import os

prove("sends", 4096, "bytes")
os.write(3, b"\xff" * 4096)
