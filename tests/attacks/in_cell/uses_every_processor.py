# Threads without end that never let go; the others must not feel it for longer than a cell may take.
# state: timed_out
import ctypes
import threading

spin = ctypes.CDLL(None).usleep
for _ in range(20):
    threading.Thread(target=lambda: [sum(range(10_000)) for _ in iter(int, 1)], daemon=True).start()
while True:
    pass
