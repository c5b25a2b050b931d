"""Fixtures: a Jupyter server in the folder of a course, and Chromium that looks at its pages."""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:  # most tests need no browser
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

BROWSERS = "chromium", "chromium-browser", "google-chrome"
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
BROWSER_IS_THERE = pytest.mark.skipif(
    BROWSER is None, reason=f"none of {', '.join(BROWSERS)} is on the PATH"
)
QUIETLY = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ELSEWHERE = re.compile(r"^https?:(?!//127\.0\.0\.1[:/])")
PATIENCE = 60  # seconds: what has not come by then will not come
WITHOUT_ANIMATION = (  # formgrader's pages would still move below a click
    "addEventListener('DOMContentLoaded', () => { if (window.jQuery) jQuery.fx.off = true; })"
)


class Server:
    """A Jupyter server in a course's folder, as `make lab` starts it, and all that it says."""

    def __init__(self, folder: Path, home: Path, checkout: Path):
        token = secrets.token_hex(8)
        self.lines: list[str] = []
        self.address = ""
        self.listens = threading.Event()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jupyter",
                "lab",
                "--no-browser",
                "--allow-root",
                "--ip=127.0.0.1",
                "--port=0",
                f"--IdentityProvider.token={token}",
                "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            ],
            cwd=folder,
            env=_environment(home, checkout),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.token = token
        self.listener = threading.Thread(target=self._listen)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line)
                if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                    self.address = found.group()
                    self.listens.set()
        self.listens.set()

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def answers(self) -> bool:
        """Wait until it takes connections at its address; return False if it ends before that."""
        host, _, port = self.address.removeprefix("http://").partition(":")
        for _ in range(10 * PATIENCE):
            if not port or self.process.poll() is not None:
                return False
            with suppress(OSError), socket.create_connection((host, int(port)), 1):
                return True
            time.sleep(0.1)
        return False

    def end(self) -> list[psutil.Process]:
        """End it and whatever it started; return what will not end."""
        family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        _, left = psutil.wait_procs(family, 5)
        for child in left:
            child.kill()
        self.listener.join(10)
        return left


def _environment(home: Path, checkout: Path) -> dict[str, str]:
    """Our programs, and nothing of the user's."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    folders = {
        "HOME": home,
        "IPYTHONDIR": home / "ipython",
        **{f"JUPYTER_{name}_DIR": home / name.lower() for name in ("CONFIG", "DATA", "RUNTIME")},
    }
    mine = {name: str(folder) for name, folder in folders.items()}
    ours = {"PATH": path, "PYTHONPATH": str(checkout), "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}
    return mine | ours


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    """Chromium, started once for a module."""
    from playwright.sync_api import sync_playwright

    sandbox = [] if os.geteuid() else ["--no-sandbox"]  # which Chromium refuses to root
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=BROWSER, args=QUIETLY + sandbox)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def browser(chromium) -> "BrowserContext":
    """What the pages of a module share; it reaches this machine alone."""
    from playwright.sync_api import expect

    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(PATIENCE * 1000)
    expect.set_options(timeout=PATIENCE * 1000)
    # no page of ours needs the internet
    context.route(ELSEWHERE, lambda route: route.abort())
    return context


@pytest.fixture(scope="module")
def jupyter(folder, browser, assignment, tmp_path_factory) -> Iterator[Server]:
    """The server of a module's folder, in which the browser is logged in."""
    server = Server(folder, tmp_path_factory.mktemp("home"), assignment.course.root)
    try:
        server.listens.wait(PATIENCE)
        assert server.answers(), f"The Jupyter server did not start:\n{server.said}"
        assert browser.request.get(f"{server.address}/api/status?token={server.token}").ok
        yield server
    finally:
        left = server.end()
    assert left == []


@pytest.fixture
def server(jupyter) -> Iterator[Server]:
    """The same, for one test."""
    yield jupyter
    print(jupyter.said)  # which pytest shows where a test has failed


@pytest.fixture
def page(browser) -> "Iterator[Page]":
    """A page of the browser; the test fails if one of its scripts does."""
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
    page.add_init_script(WITHOUT_ANIMATION)
    yield page
    page.close()
    assert errors == []


def wait_for_formgrader(page: "Page") -> None:
    """Wait until a page of a submission has been typeset and has moved to where a tutor begins."""
    from playwright.sync_api import expect

    expect(page.locator(".tabbable:focus")).to_have_count(1)


@pytest.fixture
def picture(page, screenshots) -> Callable[..., None]:
    """Save what the page or one part of it shows, if --screenshots says where."""

    def take(name: str, part: "Locator | None" = None) -> None:
        if screenshots and part:
            part.screenshot(path=screenshots / f"{name}.png")
        elif screenshots:
            page.screenshot(path=screenshots / f"{name}.png", full_page=True)

    return take
