# proof: frames [1-9]\d*, found \[\]
# unwalled: frames [1-9]\d*, found \[b'planted-.*
import re
import sys

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")
frame, frames, found = sys._getframe(), 0, set()
while frame:
    for names in (frame.f_globals, frame.f_locals):
        found |= set(PLANTED.findall(repr(names).encode(errors="replace")))
    frame, frames = frame.f_back, frames + 1
prove(f"frames {frames}, found {sorted(found)}")
