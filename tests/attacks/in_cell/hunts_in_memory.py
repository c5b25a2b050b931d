# prints: objects [1-9]\d{2}
import gc
import re

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")


def look(thing):
    return PLANTED.findall(repr(thing).encode(errors="replace"))


things = [thing for thing in gc.get_objects() if type(thing) in (dict, list, tuple)]
texts = [text for thing in things for text in (thing.values() if type(thing) is dict else thing)]
found = [look(text) for text in texts if type(text) in (str, bytes)]
print("objects", len(texts), [hit for hit in found if hit])
