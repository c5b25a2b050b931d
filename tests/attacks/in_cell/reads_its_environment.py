# proof: variables [1-9]\d*, words [1-9]\d*, found \[\]
# unwalled: variables [1-9]\d*, words [1-9]\d*, found \[.*planted-.*planted-.*
import os
import re
import sys

PLANTED = re.compile(r"planted-[0-9a-f]{16}")
words = sys.argv + sys.orig_argv
found = PLANTED.findall(repr(dict(os.environ))) + PLANTED.findall(repr(words))
prove(f"variables {len(os.environ)}, words {len(words)}, found {found}")
