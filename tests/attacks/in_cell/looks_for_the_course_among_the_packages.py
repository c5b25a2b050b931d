# proof: told nothing of [1-9]\d*
# unwalled: told \[.+ of [1-9]\d*
import glob

found = {
    path
    for place in ("/packages", "/python/lib/python3*/site-packages", "/usr/local/lib/python3*/*-packages")
    for pattern in ("*autograder*", "__editable__*", "__pycache__/__editable__*", "*.pth", "*.egg-link",
                    "*.dist-info/direct_url.json", "*autograder*/*")
    for path in glob.glob(f"{place}/{pattern}")
}
told = []
for path in found:
    try:
        told += [path] if open(path, "rb").read() else []
    except OSError:  # a folder, or a device where devices do nothing
        pass
prove("told", told or "nothing", "of", len(found))
