# The examiner's time is not the student's; that of the naps between two questions is.
# cell: who_depends
# state: timed_out
# proof: about to ask
import time

prove("about to ask")
while True:
    norm(x)
    time.sleep(0.1)
