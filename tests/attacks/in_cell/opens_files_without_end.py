# prints: files at most 256
hoard = []
try:
    while True:
        hoard.append(open("/dev/null"))
except OSError:
    print("files at most", 256 if len(hoard) < 256 else len(hoard))
