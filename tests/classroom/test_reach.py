"""A scheduler that cannot be used: one sentence says whether it is the address, a certificate or a clock."""

import socket
import ssl
import threading
from contextlib import contextmanager, suppress
from datetime import timedelta

import dask
import pytest
import yaml

from autograder import AutograderError
from autograder.classroom.reach import check_settings, why_no_answer
from tests.hosts.certificates import Authority

NOBODY = "tls://127.0.0.1:9"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def settings(authority, tmp_path):
    """Write certificates, and return the settings that name them."""

    def write(name: str = "tls", by: Authority = authority, **valid_in) -> dict:
        return yaml.safe_load(by.write(tmp_path / name, **valid_in).read_text())

    return write


@contextmanager
def listening(config: dict | None):
    """A server as Dask's scheduler is one, or without TLS; gives its port."""
    context = None
    if config:
        tls = config["distributed"]["comm"]["tls"]
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=tls["ca-file"])
        context.load_cert_chain(tls["scheduler"]["cert"], tls["scheduler"]["key"])
        context.verify_mode = ssl.CERT_REQUIRED

    def serve() -> None:
        with suppress(OSError):
            while True:
                line, _ = server.accept()
                with line, suppress(OSError):
                    if context:
                        context.wrap_socket(line, server_side=True).close()
                    else:
                        line.sendall(bytes(64))

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join(10)


def configured(config: dict):
    """Dask's settings with these among them."""
    return dask.config.set(dask.config.merge(dask.config.config, config))


@pytest.mark.parametrize(
    ("file", "text", "address", "sentence"),
    [
        (None, "", NOBODY, "needs certificates, .* let DASK_CONFIG name a file"),
        ("key.pem", None, NOBODY, r"There is no `.*/key.pem`, which"),
        ("cert.pem", "nonsense", NOBODY, "cannot be used .* copy them again"),
        ("note.txt", "", "tcp://127.0.0.1:9", "write `tls://HOST:PORT`"),
    ],
    ids=["no settings", "not there", "no certificate", "not encrypted"],
)
def test_settings_that_do_not_fit_are_named(settings, tmp_path, file, text, address, sentence):
    config = settings() if file else {}
    if file:
        path = tmp_path / "tls" / file
        path.unlink() if text is None else path.write_text(text)
    with configured(config), pytest.raises(AutograderError, match=sentence):
        check_settings(address)


def test_an_address_at_which_nobody_answers_is_not_about_certificates(settings):
    with configured(settings()):
        assert why_no_answer(NOBODY).startswith(f"No Dask scheduler answers at `{NOBODY}`")


@pytest.mark.parametrize(
    ("theirs", "ours", "sentence"),
    [
        ({"valid_in": timedelta(hours=1)}, {}, "certificate is not yet valid"),
        ({"valid_in": timedelta(days=-60)}, {}, "certificate has expired"),
        ({"by": Authority()}, {}, "its certificate is not accepted here"),
        ({}, {"valid_in": timedelta(hours=1)}, "it does not accept this machine's certificate"),
        (None, {}, "it speaks no TLS; start it with `--protocol tls`"),
    ],
    ids="clock-behind expired other-authority own-certificate no-tls".split(),
)
def test_two_sides_that_do_not_accept_each_other(settings, theirs, ours, sentence):
    server = settings("theirs", **theirs) if theirs is not None else None
    with listening(server) as port, configured(settings("ours", **ours)):
        reason = why_no_answer(f"tls://127.0.0.1:{port}")
    assert sentence in reason and reason.count("\n") == 0


def test_a_scheduler_that_wants_tls_says_so(settings):
    with listening(settings()) as port:
        assert "it speaks TLS: write `tls://" in why_no_answer(f"tcp://127.0.0.1:{port}")
