"""Certificates of a cluster, and the file of Dask's settings that names them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

SETTINGS = """distributed:
  comm:
    require-encryption: true
    tls:
      ca-file: {folder}/ca.pem
      scheduler: {{cert: {folder}/cert.pem, key: {folder}/key.pem}}
      worker: {{cert: {folder}/cert.pem, key: {folder}/key.pem}}
      client: {{cert: {folder}/cert.pem, key: {folder}/key.pem}}
"""


class Authority:
    """Signs certificates of one cluster."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = _name("grading")
        self.certificate = self._sign(self.name, self.key, timedelta(days=-1), ca=True)

    def write(self, folder: Path, valid_in: timedelta = timedelta(days=-1)) -> Path:
        """Write a certificate that begins to be valid then; return the settings that name it."""
        folder.mkdir(parents=True)
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(_name("cluster"), key, valid_in, ca=False)
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        (folder / "key.pem").write_bytes(private)
        (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        (folder / "ca.pem").write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        settings = folder / "dask.yaml"
        settings.write_text(SETTINGS.format(folder=folder))
        return settings

    def _sign(self, subject, key, valid_in: timedelta, ca: bool) -> x509.Certificate:
        begin = datetime.now(UTC) + valid_in
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .sign(self.key, hashes.SHA256())
        )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
