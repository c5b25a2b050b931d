# prints: refused 7
refused = 0
for path in (
    *("/note", "/app/note", "/packages/torch/note", "/packages/sitecustomize.py", "/dev/note"),
    *("/app/autograder/channel.py", "/proc/note"),
):
    try:
        open(path, "w")
    except OSError:
        refused += 1
print("refused", refused)
