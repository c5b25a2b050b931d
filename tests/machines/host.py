"""Run a command on a host that forbids the kernel's means of making a sandbox.

    python tests/machines/host.py [--user NUMBER] [--no-landlock] COMMAND ...

The command runs in a user namespace of its own, which has the ids of this one. Nobody can make
another inside it, because its limit of further user namespaces is 0. Nothing changes outside.

`--user`: the number of the user and of the group that run the command. Without it, they are root with
the 14 capabilities that Docker leaves. `--no-landlock`: `landlock_create_ruleset` fails with ENOSYS, as
in a kernel without Landlock.

Only root can start it. Exit status: the command's. If there cannot be such a host here, 9 and a
sentence with the reason.
"""

import argparse
import ctypes
import errno
import os
import sys
from pathlib import Path

NO_HOST = 9
PROC = Path("/proc")
LIMIT = PROC / "sys/user/max_user_namespaces"
CLONE_NEWUSER, PR_CAPBSET_DROP = 0x10000000, 24  # linux/sched.h, linux/prctl.h
LANDLOCK_CREATE_RULESET = 444  # on every architecture
CAPABILITIES = {  # linux/capability.h
    "CHOWN": 0,
    "DAC_OVERRIDE": 1,
    "FOWNER": 3,
    "FSETID": 4,
    "KILL": 5,
    "SETGID": 6,
    "SETUID": 7,
    "SETPCAP": 8,
    "NET_BIND_SERVICE": 10,
    "NET_RAW": 13,
    "SYS_CHROOT": 18,
    "MKNOD": 27,
    "AUDIT_WRITE": 29,
    "SETFCAP": 31,
}


def enter_user_namespace() -> None:
    """Move this process into a new user namespace with the same ids. Raise `OSError`."""
    reader, writer = os.pipe()
    own = os.getpid()
    helper = os.fork()
    if helper == 0:  # only a process outside may map more ids than its own
        os.close(writer)
        os._exit(0 if os.read(reader, 1) and _map_ids(own) else 1)
    os.close(reader)
    try:
        _call("unshare", CLONE_NEWUSER)
        os.write(writer, b"x")
    finally:
        os.close(writer)
        status = os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])
    if status:
        raise PermissionError(errno.EPERM, "its ids cannot be mapped")


def _map_ids(process: int) -> bool:
    """Map the ids of this namespace to themselves in the namespace of the process."""
    try:
        for name in ("uid_map", "gid_map"):
            lines = [line.split() for line in (PROC / "self" / name).read_text().splitlines()]
            ranges = [f"{first} {first} {count}\n" for first, _, count in lines]
            (PROC / str(process) / name).write_text("".join(ranges))
    except OSError:
        return False
    return True


def keep_capabilities_of_docker() -> None:
    """Have programs that root executes get no others."""
    last = int((PROC / "sys/kernel/cap_last_cap").read_text())
    for capability in set(range(last + 1)) - set(CAPABILITIES.values()):
        _call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)


def become(user: int) -> None:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def refuse_landlock() -> None:
    """Install a seccomp filter for the call that every use of Landlock begins with."""
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), LANDLOCK_CREATE_RULESET)
    rules.load()  # sets no_new_privs first


def _call(name: str, *arguments: int) -> None:
    """Call a function of the C library. Raise `OSError` if it fails."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*map(ctypes.c_ulong, arguments)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--user", type=int, metavar="NUMBER")
    parser.add_argument("--no-landlock", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    options = parser.parse_args()
    try:
        enter_user_namespace()
        LIMIT.write_text("0")
        if options.no_landlock:
            refuse_landlock()
        if options.user is None:
            keep_capabilities_of_docker()
        else:
            become(options.user)
    except (OSError, ImportError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        print(f"no user namespace can be made here ({reason})", file=sys.stderr)
        sys.exit(NO_HOST)
    os.execvp(options.command[0], options.command)


if __name__ == "__main__":
    main()
