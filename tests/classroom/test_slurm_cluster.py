"""Workers as jobs: with certificates, and gone when the block ends. The jobs are processes here."""

import importlib
import os
import stat
import subprocess
import sys

import dask
import pytest
import yaml
from distributed.security import Security

from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.classroom.errors import NoScheduler
from autograder.classroom.slurm_cluster import (
    CONFIGURATION,
    Jobs,
    job_cluster,
    make_certificates,
    slurm_cluster,
)
from autograder.cli.main import main
from tests.benchmarks.checkout import CHECKOUT


@pytest.fixture
def jobqueue():
    return pytest.importorskip("dask_jobqueue", reason="the extra `slurm` is not installed")


def test_certificates_are_their_owners_alone(tmp_path):
    make_certificates(tmp_path / "slurm")
    make_certificates(tmp_path / "slurm")  # a second time, others
    modes = {
        file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "slurm").iterdir()
    }
    assert len(modes) == 4 and set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "slurm").stat().st_mode) == 0o700


def test_the_configuration_names_the_certificates(tmp_path):
    made = make_certificates(tmp_path)
    content = yaml.safe_load((tmp_path / CONFIGURATION).read_text())
    with dask.config.set(dask.config.merge(dask.config.config, content)):
        read = Security()
    assert read.require_encryption and read.get_connection_args("client")["ssl_context"]
    for role in ("client", "scheduler", "worker"):
        assert read.get_tls_config_for_role(role) == made.get_tls_config_for_role(role)


def test_where_there_is_no_slurm_it_is_said(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoScheduler, match="no `sbatch`"):
        slurm_cluster(Jobs(2), tmp_path / "slurm").__enter__()
    assert main(["slurm", "--workers", "2", "--folder", str(tmp_path / "slurm")]) == 2
    assert "no `sbatch`" in capfd.readouterr().err and not (tmp_path / "slurm").exists()


def test_a_job_asks_for_what_its_workers_need(jobqueue, tmp_path):
    slurm, options = jobqueue.SLURMCluster, {"queue": "short", "walltime": "01:00:00"}
    with job_cluster(slurm, Jobs(0, in_one_job=3, interface="lo"), tmp_path, **options) as cluster:
        script = cluster.job_script()
    for line in ("--cpus-per-task=3", "--mem=6G", "-p short", "-t 01:00:00"):
        assert f"#SBATCH {line}\n" in script
    for words in ("--nworkers 3 ", "--nthreads 1 ", "--memory-limit 2.00GiB "):
        assert words in script
    assert f"--tls-key {tmp_path}/key.pem" in script and " tls://127.0.0.1:" in script


@pytest.mark.walls
@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of Dask's, about loops that end
def test_a_class_is_graded_by_jobs(jobqueue, small, tmp_path):
    local = importlib.import_module("dask_jobqueue.local")
    for student in ("s001", "s002"):
        folder = tmp_path / "submitted" / student / small.id
        write_submission(small, folder, SampleSubmission(solutions(small), student))
    with job_cluster(local.LocalCluster, Jobs(1, interface="lo"), tmp_path / "jobs") as cluster:
        words = [sys.executable, "-m", "autograder", "grade", str(tmp_path / "submitted")]
        words += ["--assignment", small.id, "--course", str(small.course.root), "--no-gradebook"]
        words += ["--results", str(tmp_path / "results"), "--scheduler", cluster.scheduler_address]
        environment = os.environ | {"DASK_CONFIG": str(tmp_path / "jobs" / CONFIGURATION)}
        run = subprocess.run(words, cwd=CHECKOUT, env=environment, capture_output=True, text=True)
        assert run.returncode == 0 and "2 graded" in run.stdout, run.stdout + run.stderr
