"""Patch a Jupyter server with formgrader, where settings cannot stop harm by students' files."""

import os
import sys
from collections.abc import Awaitable
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from jupyter_client.provisioning import KernelProvisionerBase
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.security import csp_report_uri
from jupyter_server.utils import url_path_join
from nbconvert.exporters import HTMLExporter
from tornado.web import HTTPError

from autograder.engine import Pattern, courses
from autograder.gradebook.pages.marking import exporter_for_staff

HANDLERS = "nbgrader.server_extensions.formgrader.handlers"
POLICY = "Content-Security-Policy"
# JupyterLab shows received notebooks and pages. A fetched image would tell its owner that they were opened
NOTHING_FROM_ELSEWHERE = (
    "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; "
    "style-src 'self' 'unsafe-inline' data: blob:; frame-src 'self' data: blob:; object-src blob:; "
    "base-uri 'self'; form-action 'self'; default-src 'self'; "  # which holds for prefetching
    "script-src * data: blob: 'unsafe-inline' 'unsafe-eval'; connect-src * data: blob:; "
    "worker-src * data: blob:"
)
SETTINGS = Path(__file__).parent / "jupyter"  # of JupyterLab, in its `labconfig`
# nbgrader writes them into scripts unescaped
NAMES = ("assignment_id", "notebook_id", "student_id")
ODD = Pattern(r"[<>\"'`\\&\x00-\x1f]")


def guard_formgrader() -> None:
    """Apply all patches of this module once, if this process is a Jupyter server with formgrader."""
    handlers = sys.modules.get(HANDLERS)
    if handlers is not None and not hasattr(handlers, "guarded"):
        handlers.guarded = True  # type: ignore[attr-defined]
        _serve_no_files(handlers)
        _use_the_open_course(handlers)
        _refuse_odd_names(handlers)
        _refuse_courses_inside_courses(handlers)
        _run_no_commands_of_notebooks()
        _start_kernels_without_files_beside_them()
        if isinstance(server := ServerApp._instance, ServerApp):  # false in nbgrader's commands
            _load_nothing_from_elsewhere(server.web_app.settings)


def _serve_no_files(handlers: ModuleType) -> None:
    """Remove formgrader's handler for files beside a notebook, which have the server's origin."""
    served = handlers.default_handlers
    served[:] = [route for route in served if route[1] is not handlers.SubmissionFilesHandler]


def _use_the_open_course(handlers: ModuleType) -> None:
    """Make formgrader render each page with the configuration of the open course. nbgrader makes
    its exporter once, before another course is opened.
    """

    def exporter(handler: Any) -> HTMLExporter:
        config = handler.settings["nbgrader_formgrader"].config
        return exporter_for_staff(handler.gradebook.db, config)

    handlers.SubmissionHandler.exporter = property(exporter)


def _refuse_odd_names(handlers: ModuleType) -> None:
    """Answer 404 for an assignment, notebook or student with special characters in its name
    (quotes, `<`, `&`), because nbgrader writes these names into its scripts.
    """
    render = handlers.BaseHandler.render

    @wraps(render)
    def careful(handler: Any, name: str, **values: Any) -> str:
        if any(ODD.search(str(values.get(key, ""))) for key in NAMES):
            raise HTTPError(404)
        return render(handler, name, **values)

    handlers.BaseHandler.render = careful


def _refuse_courses_inside_courses(handlers: ModuleType) -> None:
    """Refuse to open a folder inside a course as a course. `?path=` would run the configuration in
    that folder, which may come from a student.
    """
    get = handlers.FormgraderHandler.get

    @wraps(get)
    def careful(handler: Any) -> Any:
        path = handler.get_argument("path", "")
        above = list(Path(path).resolve().parents)[1:]  # a course may hold another one, as a demo
        if path and any((folder / courses.CONFIG).exists() for folder in above):
            raise HTTPError(403, "This folder lies inside a course, and is none.")
        return get(handler)

    handlers.FormgraderHandler.get = careful


def _load_nothing_from_elsewhere(settings: dict[str, Any]) -> None:
    """Set a Content-Security-Policy in Tornado's `settings`. Pages of this server, JupyterLab's
    too, then load images, fonts and styles from this server only.
    """
    reports = url_path_join(settings["base_url"], csp_report_uri)
    headers = settings.setdefault("headers", {})
    policy = headers.get(POLICY, f"frame-ancestors 'self'; report-uri {reports}")
    headers[POLICY] = f"{policy}; {NOTHING_FROM_ELSEWHERE}"
    # a browser asks for the names of hosts in links before anybody clicks them
    headers["X-DNS-Prefetch-Control"] = "off"


def _run_no_commands_of_notebooks() -> None:
    """Disable buttons in Markdown cells that run JupyterLab's commands, such as a terminal."""
    search_path = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, (str(SETTINGS), search_path)))


def _start_kernels_without_files_beside_them() -> None:
    """Keep a student's `ipykernel_launcher.py` off the import path of a starting kernel."""
    pre_launch = KernelProvisionerBase.pre_launch

    @wraps(pre_launch)
    def safely(provisioner: KernelProvisionerBase, **options: Any) -> Awaitable[dict[str, Any]]:
        env = options.get("env") or os.environ
        return pre_launch(provisioner, **options | {"env": {**env, "PYTHONSAFEPATH": "1"}})

    any_kernel: Any = KernelProvisionerBase
    any_kernel.pre_launch = safely
