# proof: told nothing of 9, hidden \[\]
# unwalled: told [5-9] of 9, hidden \['planted-.*
import re

paths = """
    1/environ 1/cmdline self/mountinfo self/maps mounts self/environ self/cmdline kallsyms uptime
""".split()
told, found = 0, set()
for path in paths:
    try:
        text = open("/proc/" + path, errors="replace").read()
    except OSError:
        continue
    told += bool(text)
    found |= set(re.findall("planted-[0-9a-f]{16}", text))
prove(f"told {told or 'nothing'} of {len(paths)}, hidden {sorted(found)}")
