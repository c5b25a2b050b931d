# The name of a type, which a reader that looks names up would make.
# state: crashed
# proof: sends memmap with a token of 16
import gc
import json
import os
import struct

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
value = {"_type": "np_scalar", "_concrete_type": "memmap", "_value": "/etc/passwd"}
prove("sends", value["_concrete_type"], "with a token of", len(server.token))
head = json.dumps({"value": value, "token": server.token}).encode()
os.write(3, struct.pack(">II", len(head), 0) + head)
