# state: error
# says: `PermissionError` in `attention`
import socket

line = socket.socket(fileno=3)
try:
    socket.send_fds(line, [b"x"], [0])
finally:
    line.detach()
