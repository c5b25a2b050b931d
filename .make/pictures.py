"""Make the README's pictures in docs/pictures/ from `make demo` and `make solution`, with Chromium.

    python .make/pictures.py

Each picture is a PNG below 150 kB. Chromium is Debian's package `chromium`, or what CHROMIUM names.
"""

import io
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat import read as read_notebook
from PIL import Image
from playwright.sync_api import Page, sync_playwright

PICTURES = Path("docs/pictures")
ASSIGNMENT = "encoder-layer"
SIZE = {"width": 900, "height": 640}
MAX_BYTES = 150_000
BROWSERS = os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"
FIGURE, CHECK = "attention-figure", "check-attention"  # cells of the notebook that show something


def main() -> int:
    browser = next(filter(None, map(shutil.which, filter(None, BROWSERS))), None)
    if browser is None:
        print("make: install Chromium, or set CHROMIUM to its path.", file=sys.stderr)
        return 1
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport=SIZE, device_scale_factor=1.5, color_scheme="light")
        for name, picture in pictures(page):
            path = PICTURES / f"{name}.png"
            path.write_bytes(small(picture))
            print(f"{path}: {path.stat().st_size // 1000} kB")
    return 0


def pictures(page: Page) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each picture and its bytes, as PNG."""
    page.set_content(notebook_page(), wait_until="load")
    page.add_style_tag(content="body { margin: 0; padding: 8px 24px 8px 8px }")
    yield "notebook", page.screenshot(full_page=True)
    page.goto(feedback_page().absolute().as_uri())
    page.locator("text=" + mistake_on(feedback_page())).first.scroll_into_view_if_needed()
    page.mouse.wheel(0, 200)
    yield "feedback", page.screenshot()
    page.goto(Path("demo/report.html").absolute().as_uri())
    yield "report", page.screenshot()


def notebook_page() -> str:
    """Return a page with an exercise of the executed solution: code, figure and check."""
    notebook: NotebookNode = read_notebook(
        f"solution/{ASSIGNMENT}/{ASSIGNMENT}.ipynb", as_version=4
    )
    notebook.cells = [cell for cell in notebook.cells if cell.id in SHOWN]
    page, _ = HTMLExporter(template_name="lab", exclude_input_prompt=False).from_notebook_node(
        notebook
    )
    return page
