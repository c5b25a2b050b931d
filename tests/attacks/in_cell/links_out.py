# prints: dead 3
import os

dead = 0
for number, target in enumerate(("/etc/passwd", "HOST_FILE", "/proc/1/root")):
    os.symlink(target, f"link-{number}")
    try:
        print(
            os.listdir(f"link-{number}")
            if target.startswith("/proc")
            else open(f"link-{number}").read()
        )
    except OSError:
        dead += 1
print("dead", dead)
