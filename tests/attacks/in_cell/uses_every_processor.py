# Threads that hash without end, and without the interpreter's lock; the others must not feel it.
# state: timed_out
# proof: threads 21
import hashlib
import threading

block = bytes(1 << 24)
for _ in range(20):
    threading.Thread(target=lambda: [hashlib.sha256(block) for _ in iter(int, 1)], daemon=True).start()
prove("threads", threading.active_count())
while True:
    hashlib.sha256(block)
