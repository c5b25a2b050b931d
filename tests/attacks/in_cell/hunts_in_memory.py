# proof: texts [1-9]\d{2,}, found \[\]
# unwalled: texts [1-9]\d{2,}, found \[b'planted-.*
import gc
import re

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")
things = [thing for thing in gc.get_objects() if type(thing) in (dict, list, tuple)]
inside = [item for thing in things for item in (thing.values() if type(thing) is dict else thing)]
texts = [item for item in inside if type(item) in (str, bytes)]
found = {hit for text in texts for hit in PLANTED.findall(repr(text).encode(errors="replace"))}
prove(f"texts {len(texts)}, found {sorted(found)}")
