# proof: full after 6\d MiB: ENOSPC
# unwalled: 100 MiB written
import errno
import os

written, end = 0, ""
try:
    for number in range(100):
        with open(f"hoard-{number}", "wb", buffering=0) as file:
            written += file.write(bytes(1 << 20))
except OSError as error:
    end = errno.errorcode[error.errno]
prove(f"full after {written >> 20} MiB: {end}" if end else f"{written >> 20} MiB written")
