# proof: EPERM EPERM EPERM EPERM EPERM EPERM gaierror
# unwalled: open open open open open open gaierror
import errno
import socket

said = []
for way in (
    lambda: socket.socket(socket.AF_INET),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    lambda: socket.socket(socket.AF_INET6),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: socket.socketpair(),
    lambda: socket.getaddrinfo("example.org", 80),
):
    try:
        way()
        said.append("open")
    except socket.gaierror:
        said.append("gaierror")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)
