# state: crashed
import os
import struct


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


header = b'{"0":{"dtype":"O","shape":[1],"data_offsets":[0,8]}}'
send(
    b'{"value": {"tensor": "0"}, "token": "t"}', struct.pack("<Q", len(header)) + header + bytes(8)
)
