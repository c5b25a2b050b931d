# proof: dead 3, found nothing
# unwalled: dead 0, found planted-.*
import os
import re

dead, read = 0, ""
for number, target in enumerate(("/etc/passwd", "HOST_FILE", "/proc/1/root")):
    os.symlink(target, f"link-{number}")
    try:
        folder = target.startswith("/proc")
        read += str(os.listdir(f"link-{number}")) if folder else open(f"link-{number}").read()
    except OSError:
        dead += 1
found = re.search("planted-[0-9a-f]{16}", read)
prove(f"dead {dead}, found {found[0] if found else 'nothing'}")
