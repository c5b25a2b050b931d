# Gives its processor to whoever wants it, and so uses no time where somebody does.
# state: timed_out
# proof: about to give way
import os

prove("about to give way")
while True:
    os.sched_yield()
