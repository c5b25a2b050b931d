# state: timed_out
# proof: about to sleep
import time

prove("about to sleep")
time.sleep(1000)
