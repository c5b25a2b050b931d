# state: timed_out
import time

time.sleep(1000)
