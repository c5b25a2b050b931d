# prints: full after [1-4]\d{3} names
import os

try:
    for number in range(100_000):
        os.close(os.open(f"/tmp/name-{number}", os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
print("full after", number, "names")
