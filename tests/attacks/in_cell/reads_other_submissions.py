# prints: closed 3
closed = 0
for path in ("../../s002/encoder-layer/encoder-layer.ipynb", "HOST_FILE", "/proc/1/root/HOST_FILE"):
    try:
        print(open(path).read())
    except OSError:
        closed += 1
print("closed", closed)
