# prints: refused 100
import os

refused = 0
for _ in range(100):
    try:
        os.fork()
    except OSError:
        refused += 1
print("refused", refused)
