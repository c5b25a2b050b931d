# state: crashed
import os
import struct


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


send(b'{"value": {"_type": "np_scalar", "_concrete_type": "memmap", "_value": "/etc/passwd"}}')
