# Threads that keep the main one from the processor: its wait is their doing.
# state: timed_out
# proof: about to spin in 5 threads
import threading


def spin():
    while True:
        pass


for _ in range(5):
    threading.Thread(target=spin, daemon=True).start()
prove("about to spin in", threading.active_count() - 1, "threads")
spin()
