# state: crashed
import os

os.write(3, b"\xff" * 4096)
