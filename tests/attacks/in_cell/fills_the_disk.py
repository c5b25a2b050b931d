# prints: full after 6\d MiB
import os

written = 0
try:
    for number in range(1000):
        with open(f"hoard-{number}", "wb", buffering=0) as file:
            written += file.write(bytes(1 << 20))
except OSError:
    pass
print("full after", written >> 20, "MiB")
