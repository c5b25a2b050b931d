# Threads that hash without end, and without the interpreter's lock; the others must not feel it.
# state: timed_out
import hashlib
import threading

block = bytes(1 << 24)
for _ in range(20):
    threading.Thread(target=lambda: [hashlib.sha256(block) for _ in iter(int, 1)], daemon=True).start()
while True:
    hashlib.sha256(block)
