# proof: full after [1-4]\d{3} names: ENOSPC
# unwalled: 6000 names
import errno
import os

end = ""
try:
    for number in range(6_000):
        os.close(os.open(f"/tmp/name-{number}", os.O_CREAT | os.O_WRONLY))
except OSError as error:
    end = errno.errorcode[error.errno]
prove(f"full after {number} names: {end}" if end else f"{number + 1} names")
