# A thread that holds no lock of Python's has the processor whenever the main one wakes up.
# state: timed_out
# proof: about to nap
import threading
import time

import torch


def compute():
    while True:
        torch.ones(300, 300) @ torch.ones(300, 300)


threading.Thread(target=compute, daemon=True).start()
prove("about to nap")
while True:
    time.sleep(1e-6)
