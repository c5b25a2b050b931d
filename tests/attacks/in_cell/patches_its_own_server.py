# Answers "right" to everything that it is asked.
# state: crashed
# lost: all
# proof: patched 1 with [1-9]\d* operations
import gc

patched = operations = 0
for thing in gc.get_objects():
    if type(thing).__name__ == "Server":
        thing.operations = {name: lambda **k: True for name in thing.operations}
        patched, operations = patched + 1, len(thing.operations)
prove("patched", patched, "with", operations, "operations")
