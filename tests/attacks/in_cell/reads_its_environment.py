# prints: [1-9]\d* variables \[\]
import os
import sys
import re

PLANTED = re.compile(rb"planted-[0-9a-f]{16}")


def look(thing):
    return PLANTED.findall(repr(thing).encode(errors="replace"))


print(len(os.environ), "variables", look(dict(os.environ)) + look(sys.argv) + look(sys.orig_argv))
