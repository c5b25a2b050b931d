# state: crashed
import os
import struct


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


send(b'{"value": ' + b"[" * 30_000 + b"]" * 30_000 + b"}")
