# state: crashed
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


send(b'{"value": {"tensor": "0"}, "token": "' + token() + b'"}', pickle.dumps(Evil()))
