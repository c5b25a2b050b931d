# state: crashed
# proof: sends 30000 deep
import os
import struct


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


prove("sends", 30_000, "deep")
send(b'{"value": ' + b"[" * 30_000 + b"]" * 30_000 + b"}")
