# To a listener of its own: without walls it would get them.
# proof: not sent: PermissionError
# unwalled: sent [1-9]\d* bytes
import os
import socket

try:
    listener = socket.create_server(("127.0.0.1", 0))
    line = socket.create_connection(listener.getsockname(), 1)
    line.sendall(str(dict(os.environ)).encode())
    prove("sent", len(listener.accept()[0].recv(1 << 20)), "bytes")
except OSError as error:
    prove("not sent:", type(error).__name__)
