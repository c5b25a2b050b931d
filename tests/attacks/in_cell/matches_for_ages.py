# state: timed_out
import re

re.match("(a+)+$", "a" * 40 + "b")
