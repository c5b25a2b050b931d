"""Find out why a Dask scheduler cannot be reached: address, connection, certificates, clocks."""

import socket
import ssl
from pathlib import Path

from distributed.comm.addressing import parse_address, parse_host_port
from distributed.security import Security

from autograder.engine import AutograderError, grading

TLS = "tls"
ANSWER_SECONDS = 3.0  # for the first words of a scheduler that is there
WHERE = "docs/administrator.md says how"


def check_settings(address: str) -> None:
    """Raise `AutograderError` if Dask's encryption settings do not fit the address."""
    scheme, security = parse_address(address)[0], Security()
    if scheme != TLS:
        if security.require_encryption:
            raise AutograderError(
                f"Dask's settings allow encrypted connections only, and `{address}` is none: "
                "write `tls://HOST:PORT`."
            )
        return
    config = security.get_tls_config_for_role("client")
    files = [config[name] for name in ("ca_file", "cert", "key")]
    if not all(files):
        raise AutograderError(
            f"`{address}` needs certificates, and Dask's settings name none for this machine: "
            f"let DASK_CONFIG name a file that does ({WHERE})."
        )
    for file in files:
        # a text with line breaks is the certificate itself
        if "\n" not in file and not Path(file).is_file():
            raise AutograderError(
                f"There is no `{file}`, which Dask's settings name for `{address}`: "
                f"copy it from the machine that made the certificates ({WHERE})."
            )
    try:
        security.get_connection_args("client")
    except (OSError, ValueError) as error:
        raise AutograderError(
            f"The certificates that Dask's settings name for `{address}` cannot be used "
            f"({grading.describe_error(error)}): copy them again ({WHERE})."
        ) from error


def why_no_answer(address: str) -> str:
    """Try to connect to the scheduler, and return a sentence with the reason of the failure."""
    scheme, place = parse_address(address)
    reason = ""
    try:
        if scheme == TLS:
            context = Security().get_connection_args("client")["ssl_context"]
            reason = _hear(place, context)
        elif _speaks_tls(place):
            reason = "it speaks TLS: write `tls://HOST:PORT`, with certificates"
    except (OSError, ValueError):  # no scheduler, or an invalid address
        reason = ""
    if reason:
        return f"The Dask scheduler at `{address}` cannot be used: {reason} ({WHERE})."
    return (
        f"No Dask scheduler answers at `{address}`: start one with `dask scheduler`, "
        "or leave out --scheduler to grade on this machine."
    )


def _hear(place: str, context: ssl.SSLContext) -> str:
    """Return the reason why host and scheduler refuse certificates, or "". Raises `OSError`."""
    with socket.create_connection(parse_host_port(place), ANSWER_SECONDS) as line:
        try:
            with context.wrap_socket(line) as encrypted:
                encrypted.recv(1)  # the scheduler reports its decision after the handshake
        except ssl.SSLCertVerificationError as error:
            return (
                f"its certificate is not accepted here ({error.verify_message}); look at this "
                "machine's clock and at the certificates"
            )
        except TimeoutError:
            return ""
        except ssl.SSLError as error:
            if error.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"):
                return "it speaks no TLS; start it with `--protocol tls`"
            return (
                f"it does not accept this machine's certificate ({error.reason}); look at its "
                "clock and at the certificates"
            )
    return ""


def _speaks_tls(place: str) -> bool:
    """Whether the scheduler speaks TLS, even if it refuses us. Raises `OSError`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with socket.create_connection(parse_host_port(place), ANSWER_SECONDS) as line:
        try:
            context.wrap_socket(line).close()
        except ssl.SSLError as error:
            return f"{error.reason}".startswith(("TLS", "SSL"))  # it refuses us in TLS
    return True
