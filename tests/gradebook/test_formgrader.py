"""nbgrader's formgrader works with our course: in a real browser, as an instructor uses it."""

import os
import re
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect, sync_playwright
from submissions import exercise, full_marks, marked_by_hand

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine.assignment import CHECK, Assignment
from autograder.engine.course import make_course
from autograder.engine.grade import Grader
from autograder.engine.verdict import ExerciseResult, Verdict

OWN_EXCHANGE = "\nc.Exchange.root = {exchange!r}\n"  # else nbgrader looks for the machine's
BROWSERS = "chromium", "chromium-browser", "google-chrome"
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
QUIETLY = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60  # seconds: what has not come by then will not come
MATHJAX = "window.MathJax = {Hub: {Config() {}, Queue() {}, Startup: {signal: {Interest() {}}}}};"
COMMENT = "Which of the two matrices makes it wide?"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.walls,
    pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(BROWSERS)} is on the PATH"),
]


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
def folder(course, assignment, solved, unscaled, tmp_path_factory) -> Path:
    """A course of its own: a solution, a mistake, and a file that is damaged."""
    folder = tmp_path_factory.mktemp("course")
    make_course(folder, course, OWN_EXCHANGE.format(exchange=str(folder / "exchange")))
    mistaken = solved | {unscaled.exercise: unscaled.make(solved[unscaled.exercise])}
    submissions = {
        "ada-mask": SampleSubmission(mistaken, ""),
        "ben-token": SampleSubmission(solved, ""),
        "cleo-relu": SampleSubmission(solved, "", lambda text: text[: len(text) // 2]),
    }
    for student, submission in submissions.items():
        write_submission(assignment, folder / "submitted" / student / assignment.id, submission)
    return folder


@pytest.fixture(scope="module")
def verdict(assignment, walls, folder) -> Verdict:
    """The verdict on the mistake."""
    notebook = folder / "submitted" / "ada-mask" / assignment.id / f"{assignment.id}.ipynb"
    return Grader(assignment, walls).grade("ada-mask", notebook).verdict


@pytest.fixture(scope="module")
def server(folder, assignment, tmp_path_factory) -> Iterator[Server]:
    server = Server(folder, tmp_path_factory.mktemp("home"), assignment.course.root)
    try:
        server.listens.wait(PATIENCE)
        assert server.address, f"The Jupyter server did not start:\n{server.said}"
        yield server
    finally:
        left = server.end()
    assert left == []


@pytest.fixture(scope="module")
def browser(server, tmp_path_factory) -> Iterator[BrowserContext]:
    sandbox = [] if os.geteuid() else ["--no-sandbox"]  # which Chromium refuses to root
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"),
            executable_path=BROWSER,
            args=QUIETLY + sandbox,
            viewport={"width": 1400, "height": 1000},
        )
        context.set_default_timeout(PATIENCE * 1000)
        expect.set_options(timeout=PATIENCE * 1000)
        context.route(lambda address: not address.startswith(server.address), _elsewhere)
        yield context
        context.close()


def _elsewhere(route: Route) -> None:
    """No page of ours needs the internet."""
    if "mathjax" in route.request.url.lower():
        route.fulfill(content_type="text/javascript", body=MATHJAX)
    else:
        route.abort()


@pytest.fixture
def page(browser, server) -> Iterator[Page]:
    """A page of the browser; the test fails if one of its scripts does."""
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
    page.goto(f"{server.address}/?token={server.token}", wait_until="commit")
    yield page
    page.close()
    print(server.said)  # which pytest shows where a test has failed
    assert errors == []


@pytest.fixture
def picture(page, screenshots) -> Callable[..., None]:
    """Save what the page or one part of it shows, if --screenshots says where."""

    def take(name: str, part: Locator | None = None) -> None:
        if screenshots and part:
            part.screenshot(path=screenshots / f"{name}.png")
        elif screenshots:
            page.screenshot(path=screenshots / f"{name}.png", full_page=True)

    return take


def row(page: Page, name: str) -> Locator:
    return page.locator("#main-table tr", has_text=name)


def dismissed(page: Page) -> str:
    """Wait for a dialog and close it; return what it said."""
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    said = dialog.inner_text()
    dialog.get_by_role("button", name="OK").click()
    expect(dialog).to_have_count(0)
    return said


def test_an_instructor_grades_and_marks_and_sees_the_total(
    page, server, folder, assignment, verdict, unscaled, picture
):
    id, by_hand = assignment.id, marked_by_hand(assignment)
    whole = sum(cell.points for cell in assignment.cells)
    automatic, marked = verdict.points, verdict.points + 1
    shown, shown_marked = f"{automatic:g} / {whole:g}", f"{marked:g} / {whole:g}"
    page.goto(f"{server.address}/formgrader/")
    expect(row(page, id)).to_contain_text("3")
    picture("1-assignments")
    row(page, id).locator(".assign a").click()
    assert "Successfully created the student version" in dismissed(page)

    row(page, id).get_by_role("link", name="3", exact=True).click()
    expect(page.locator("#main-table .label", has_text="needs autograding")).to_have_count(3)
    picture("2-submissions-before")
    row(page, "ada-mask").locator(".autograde a").click()
    assert "Successfully autograded" in dismissed(page)
    expect(row(page, "ada-mask")).to_contain_text(shown)
    expect(row(page, "ada-mask")).to_contain_text("needs manual grading")
    row(page, "cleo-relu").locator(".autograde a").click()
    said = dismissed(page)
    assert "JSON" in said
    expect(row(page, "cleo-relu")).to_contain_text("needs autograding")
    picture("3-submissions-autograded")

    marking = _page_of(page, server, verdict, exercise(verdict, unscaled.exercise))
    picture("4-page-before")
    check = page.locator(".cell", has=page.locator(f"#{CHECK}{unscaled.exercise}"))
    expect(check.get_by_text(unscaled.sentence)).to_be_visible()
    picture("5-check-cell", check)
    written = page.locator(".nbgrader_cell", has=page.locator(f"#{by_hand}"))
    with page.expect_response(lambda answer: "/api/grade/" in answer.url and answer.ok):
        written.locator(".score").fill("1")
        written.locator(".score").blur()
    with page.expect_response(lambda answer: "/api/comment/" in answer.url and answer.ok):
        written.locator(".comment").fill(COMMENT)
        written.locator(".comment").blur()
    picture("6-marked", written)

    page.goto(f"{server.address}/formgrader/manage_submissions/{id}")
    expect(row(page, "ada-mask")).to_contain_text(shown_marked)
    picture("7-submissions-marked")
    assert _entered(folder, assignment) == (marked, automatic, 1.0, COMMENT)

    words = [sys.executable, "-m", "autograder", "grade", "submitted", "--assignment", id]
    done = subprocess.run([*words, "--regrade"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    page.reload()
    expect(row(page, "ben-token")).to_contain_text(f"{full_marks(assignment):g} / {whole:g}")
    expect(row(page, "ada-mask")).to_contain_text(shown_marked)
    picture("8-submissions-regraded")
    page.goto(marking)
    expect(written.locator(".score")).to_have_value("1")
    expect(written.locator(".comment")).to_have_value(COMMENT)
    picture("9-page-after")
    assert _entered(folder, assignment) == (marked, automatic, 1.0, COMMENT)


def _page_of(page: Page, server: Server, verdict: Verdict, result: ExerciseResult) -> str:
    """Open the page where a student's submission is marked; return its address."""
    id = verdict.assignment
    page.goto(f"{server.address}/formgrader/gradebook/{id}/{id}")
    expect(page.get_by_role("link", name="Submission #1")).to_be_visible()
    page.get_by_role("button", name="Show All Names").click()
    page.get_by_role("link", name=verdict.student).click()
    points = page.locator(f"#{CHECK}{result.id}")
    expect(points).to_have_attribute("placeholder", f"{result.points:g}")
    return page.url


def _entered(folder: Path, assignment: Assignment) -> tuple[float, float, float, str]:
    """What the gradebook says of ada-mask: all points, automatic ones, those by hand, the comment."""
    place = (assignment.id, assignment.id, "ada-mask")
    by_hand = marked_by_hand(assignment)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        submission = gradebook.find_submission(assignment.id, "ada-mask")
        mark = gradebook.find_grade(by_hand, *place).manual_score
        comment = gradebook.find_comment(by_hand, *place).comment
        return submission.score, submission.code_score, mark, comment


def test_jupyterlab_opens_formgrader_from_its_menu(page, server, assignment, picture):
    page.goto(f"{server.address}/lab")
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.get_by_role("menuitem", name="Formgrader").first.click()
    assignments = page.frame_locator("iframe").locator("#main-table tr", has_text=assignment.id)
    expect(assignments).to_be_visible()
    picture("0-jupyterlab")
