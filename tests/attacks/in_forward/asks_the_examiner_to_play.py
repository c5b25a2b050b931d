# A part that nobody plays here, with nonsense handed over.
# state: crashed
import gc

desk = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Desk")
for part in (
    None,
    {"role": "Attention"},
    {"role": "__class__", "scene": -1, "number": [], "built": 3},
):
    desk._send({"ask": part})
