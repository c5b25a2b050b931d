# Reads the bytes of every object that can be reached, without asking the objects.
# proof: objects [1-9]\d{4,}, found \[\]
# unwalled: objects [1-9]\d{3,}, found \[b'planted-.*
import ctypes
import gc
import re
import sys

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")
reached, waiting, found = set(), list(sys.modules.values()), set()
while waiting and len(reached) < 60_000:
    thing = waiting.pop()
    if id(thing) in reached or type(thing).__module__.startswith("torch._C"):
        continue
    reached.add(id(thing))
    if type(thing) in (str, bytes, dict, list, tuple):
        found |= set(PLANTED.findall(ctypes.string_at(id(thing), thing.__sizeof__())))
    waiting += gc.get_referents(thing)
prove(f"objects {len(reached)}, found {sorted(found)}")
