# state: crashed
import os
import struct


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


for shape in (b"[-1,1099511627776]", b"[1,1,1,1,1,1,1,1,1]", b"[9223372036854775807,2]"):
    header = b'{"0":{"dtype":"F32","shape":' + shape + b',"data_offsets":[0,4]}}'
    send(b'{"value": {"tensor": "0"}}', struct.pack("<Q", len(header)) + header + bytes(4))
