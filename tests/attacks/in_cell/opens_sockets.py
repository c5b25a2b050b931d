# prints: refused 7
import socket

refused = 0
for way in (
    lambda: socket.create_connection(("127.0.0.1", 9), 1),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    lambda: socket.socket(socket.AF_INET6),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: socket.socketpair(),
    lambda: socket.getaddrinfo("example.org", 80),
):
    try:
        way()
    except OSError:
        refused += 1
print("refused", refused)
