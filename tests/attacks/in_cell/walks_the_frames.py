# prints: frames [1-9]
import sys
import re

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")


def look(thing):
    return PLANTED.findall(repr(thing).encode(errors="replace"))


frame, frames, found = sys._getframe(), 0, []
while frame:
    found += look(frame.f_globals) + look(frame.f_locals)
    frame, frames = frame.f_back, frames + 1
print("frames", frames, found)
