# prints: told nothing of 8
paths = "1/environ 1/cmdline self/mountinfo self/maps 1/root mounts self/environ kallsyms".split()
told = 0
for path in paths:
    try:
        told += bool(open("/proc/" + path).read())
    except OSError:
        pass
print("told", told or "nothing", "of", len(paths))
