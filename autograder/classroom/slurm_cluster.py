"""A Dask scheduler in this process, and jobs of Slurm whose workers join it, with certificates."""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
import dask.utils
import yaml
from distributed.security import Security

from autograder.classroom.errors import NoScheduler
from autograder.files import replacing

if TYPE_CHECKING:
    from dask_jobqueue import JobQueueCluster

CA, CERTIFICATE, KEY, CONFIGURATION = "ca.pem", "cert.pem", "key.pem", "dask.yaml"
SETTINGS = {
    # what Dask keeps of its last messages to each worker: every one has a submission in it
    "distributed.admin.low-level-log-length": 20,
    "distributed.comm.require-encryption": True,
}


@dataclass(frozen=True)
class Jobs:
    """What is asked of Slurm. What is None or not here, Dask's file `jobqueue.yaml` says."""

    workers: int
    in_one_job: int = 1  # workers, each with a processor
    memory: str = "2GiB"  # of each worker
    walltime: str = "02:00:00"
    partition: str | None = None
    account: str | None = None
    interface: str | None = None  # of the network that all machines are in


@contextlib.contextmanager
def slurm_cluster(jobs: Jobs, folder: Path) -> Iterator["JobQueueCluster"]:
    """Have jobs started, and cancelled when the block ends. Raises `NoScheduler`, `OSError`.

    Certificates and the jobs' logs are in the folder, which all machines see.
    """
    if not shutil.which("sbatch"):
        raise NoScheduler("There is no `sbatch` here: run this on a machine that submits jobs.")
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError as error:
        raise NoScheduler(
            "dask-jobqueue is not installed: `pip install --editable '.[slurm]'`."
        ) from error
    options = {"queue": jobs.partition, "account": jobs.account, "walltime": jobs.walltime}
    with job_cluster(SLURMCluster, jobs, folder, **options) as cluster:
        yield cluster


@contextlib.contextmanager
def job_cluster(
    kind: type["JobQueueCluster"], jobs: Jobs, folder: Path, **options: Any
) -> Iterator["JobQueueCluster"]:
    """The same with any of dask-jobqueue's kinds of clusters. Raises `OSError`."""
    memory = dask.utils.parse_bytes(jobs.memory) * jobs.in_one_job
    with dask.config.set(SETTINGS):
        cluster = kind(
            cores=jobs.in_one_job,
            processes=jobs.in_one_job,
            memory=dask.utils.format_bytes(memory),
            interface=jobs.interface,
            security=make_certificates(folder),
            log_directory=str(folder / "logs"),
            scheduler_options={"dashboard": False, "dashboard_address": ":0"},
            worker_extra_args=["--no-dashboard"],
            job_name="autograder",
            **options,
        )
        with contextlib.closing(cluster):
            cluster.scale(jobs=-(-jobs.workers // jobs.in_one_job))
            yield cluster


def make_certificates(folder: Path) -> Security:
    """Make a certificate for all processes of one cluster; return what Dask wants to know of it.

    In the folder, which nobody else can read, is also the file that `DASK_CONFIG` has to name for
    whoever grades with this cluster. Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    made = Security.temporary()
    places = {name: str((folder / name).resolve()) for name in (CA, CERTIFICATE, KEY)}
    for name, text in (
        (CA, made.tls_ca_file),
        (CERTIFICATE, made.tls_worker_cert),
        (KEY, made.tls_worker_key),
    ):
        _write_private(folder / name, text)
    pair = {"cert": places[CERTIFICATE], "key": places[KEY]}
    tls = {"ca-file": places[CA], "scheduler": pair, "worker": pair, "client": pair}
    content = {"distributed": {"comm": {"require-encryption": True, "tls": tls}}}
    _write_private(folder / CONFIGURATION, yaml.dump(content, Dumper=_WithoutReferences))
    pairs = {
        f"tls_{role}_{what}": pair[what]
        for role in ("scheduler", "worker", "client")
        for what in ("cert", "key")
    }
    return Security(require_encryption=True, tls_ca_file=places[CA], **pairs)


class _WithoutReferences(yaml.SafeDumper):
    """Writes the same pair of files three times, where YAML would refer to the first."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _write_private(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text)
    path.chmod(0o600)
