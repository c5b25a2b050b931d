# state: timed_out
# proof: matched in [1-9]\d* steps of ten
import re
import time

length, begin = 10, time.process_time()
while time.process_time() - begin < 0.05:
    length += 1
    re.match("(a+)+$", "a" * length + "b")
prove("matched in", length - 10, "steps of ten")
re.match("(a+)+$", "a" * 40 + "b")
