"""Make the pictures of the README and the manual in docs/pictures/, with Chromium.

    python .make/pictures.py

It reads what `make demo` and `make solution` wrote. Each picture is a PNG below 150 kB. Chromium is the
program that the variable CHROMIUM names, or the first of several names on the PATH.
"""

import io
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from nbconvert import HTMLExporter
from nbformat import read as read_notebook
from PIL import Image
from playwright.sync_api import FloatRect, Page, ViewportSize, sync_playwright

PICTURES = Path("docs/pictures")
ASSIGNMENT = "encoder-layer"
SIZE: ViewportSize = {"width": 960, "height": 720}
ABOVE = 90  # pixels of the page above the named mistake
FEEDBACK_HEIGHT = 510  # pixels: the checks, without the student's answer
MAX_BYTES = 150_000
BROWSERS = "chromium", "chromium-browser", "google-chrome"
SHOWN = "attention_picture", "attention_check", "check_attention"  # cells of the notebook
NOTEBOOK_STYLE = "body { margin: 0; padding: 8px 24px 8px 8px } .jp-Cell { padding: 4px }"


def main() -> int:
    """Make the pictures and print their paths; return the exit status."""
    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("make: install Chromium, or set CHROMIUM to its path.", file=sys.stderr)
        return 1
    PICTURES.mkdir(exist_ok=True)
    sandbox = [] if os.geteuid() else ["--no-sandbox"]  # which Chromium refuses to root
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=sandbox)
        page = chromium.new_page(viewport=SIZE, device_scale_factor=1.5, color_scheme="light")
        for name, picture in pictures(page):
            path = PICTURES / f"{name}.png"
            path.write_bytes(compressed(picture))
            print(f"{path}: {path.stat().st_size // 1000} kB")
        chromium.close()
    return 0


def pictures(page: Page) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each picture, and its content as PNG."""
    page.set_content(notebook_page(), wait_until="domcontentloaded")
    page.add_style_tag(content=NOTEBOOK_STYLE)
    yield "notebook", page.screenshot(full_page=True)
    student, sentence = named_mistake()
    feedback = Path("demo/feedback", student, ASSIGNMENT, f"{ASSIGNMENT}.html")
    page.goto(feedback.absolute().as_uri())
    exercise = page.get_by_text(sentence).last.bounding_box()  # the first is in the overview
    top = exercise["y"] - ABOVE if exercise else 0
    clip: FloatRect = {"x": 0, "y": top, "width": SIZE["width"], "height": FEEDBACK_HEIGHT}
    yield "feedback", page.screenshot(full_page=True, clip=clip)
    page.goto(Path("demo/report.html").absolute().as_uri())
    yield "report", page.screenshot()


def notebook_page() -> str:
    """Return a page with some cells of the executed solution: code, figure and check."""
    notebook = read_notebook(f"solution/{ASSIGNMENT}/{ASSIGNMENT}.ipynb", as_version=4)
    notebook.cells = [cell for cell in notebook.cells if cell.id in SHOWN]
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    return page


def named_mistake() -> tuple[str, str]:
    """Return a student of the demo whose feedback names a mistake, and the sentence on it."""
    for path in sorted(Path("demo/results", ASSIGNMENT).glob("*.json")):
        for exercise in json.loads(path.read_text()).get("exercises", []):
            for mistake in exercise["mistakes"]:
                return path.stem, mistake["sentence"]
    raise SystemExit("make: demo/ names no mistake. Run make demo first.")


def compressed(picture: bytes) -> bytes:
    """Return a PNG with at most 256 colours, made smaller until it has less than MAX_BYTES."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    while True:
        content = io.BytesIO()
        image.quantize(256).save(content, "PNG", optimize=True)
        if content.tell() < MAX_BYTES:
            return content.getvalue()
        image = image.resize(
            (image.width * 9 // 10, image.height * 9 // 10), Image.Resampling.LANCZOS
        )


if __name__ == "__main__":
    sys.exit(main())
