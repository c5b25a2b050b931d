"""A file that is no notebook is named, whatever it is instead."""

import pytest

from autograder.engine.courses.cells import GraderError, read_cells


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\xff", b"", b"[]", b'{"cells": [1]}', b'{"cells": [{"id": "a", "metadata": []}]}'],
)
def test_what_is_no_notebook_is_named(tmp_path, content):
    notebook = tmp_path / "sheet.ipynb"
    notebook.write_bytes(content)
    with pytest.raises(GraderError, match="sheet.ipynb` cannot be read as a notebook"):
        read_cells(notebook)
