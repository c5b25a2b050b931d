# Answers "right" to everything that it is asked.
# state: crashed
# lost: all
# prints: patched
import gc

for thing in gc.get_objects():
    if type(thing).__name__ == "Server":
        thing.operations = {name: lambda **k: True for name in thing.operations}
print("patched")
