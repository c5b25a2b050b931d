"""`slurm`: workers as jobs of Slurm, to grade with."""

from __future__ import annotations

import shlex
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.exit_status import OK, Command, refuse
from autograder.cli.options import PATH
from autograder.report import terminal
from autograder.wording import plural

if TYPE_CHECKING:
    from dask_jobqueue import JobQueueCluster

LOOK_SECONDS = 1.0  # between two looks at how many workers there are


@click.command(
    "slurm",
    short_help="start workers as jobs of Slurm, to grade with",
    cls=Command,
    statuses={OK: "the jobs were started, and ended by Ctrl-C"},
)
@click.option("--workers", type=click.IntRange(1), required=True, help="how many, in all")
@click.option(
    "--in-one-job",
    type=click.IntRange(1),
    default=1,
    help="workers of each job, on one machine (1)",
)
@click.option("--memory", default="2GiB", help="of each worker (2GiB)")
@click.option("--walltime", default="02:00:00", help="of each job (02:00:00)")
@click.option("--partition", help="where Slurm's default is another")
@click.option("--account", help="that the jobs are charged to")
@click.option("--interface", help="the network in which machines see each other, e.g. ib0")
@click.option(
    "--folder", type=PATH, default=Path(".slurm"), help="for certificates and logs (.slurm/)"
)
def slurm(folder: Path, **asked: str | int | None) -> int:
    """Start a Dask scheduler here, and jobs of Slurm whose workers join it; say with which words to
    grade. Ctrl-C ends the jobs. What else a site needs is in dask-jobqueue's `jobqueue.yaml`."""
    from autograder.classroom.errors import NoScheduler
    from autograder.classroom.slurm_cluster import CONFIGURATION, Jobs, slurm_cluster

    jobs = Jobs(**asked)  # type: ignore[arg-type]
    try:
        # Dask makes Ctrl-C a SystemExit
        with suppress(KeyboardInterrupt, SystemExit), slurm_cluster(jobs, folder) as cluster:
            configuration = shlex.quote(str((folder / CONFIGURATION).resolve()))
            terminal.say(
                f"{plural(jobs.workers, 'worker')} asked for. In another terminal, in this folder:",
                f"DASK_CONFIG={configuration} python -m autograder grade submitted/ "
                f"--scheduler {cluster.scheduler_address}",
            )
            _watch(cluster, jobs.workers)
    except NoScheduler as error:
        return refuse(str(error))
    terminal.say("The jobs are cancelled.")
    return OK


def _watch(cluster: JobQueueCluster, workers: int) -> None:
    """Say how many workers there are whenever it changes, until Ctrl-C."""
    there = 0
    while True:
        if len(cluster.scheduler_info["workers"]) != there:
            there = len(cluster.scheduler_info["workers"])
            terminal.say(f"{there} of {plural(workers, 'worker')} there.")
        time.sleep(LOOK_SECONDS)
