"""Decide which pictures a page may show: the assignment's own, and a student's PNG and JPEG."""

import base64
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from autograder.engine import Pattern, files, notebooks

OURS = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
DATA = Pattern(r"data:image/(?:png|jpeg);base64,([A-Za-z0-9+/=\s]*)")
ATTACHED = "attachment:"
DRAWN = "data:image/svg+xml;base64,"


@dataclass
class Pictures:
    """Maps image sources to `data:` addresses that a page may show, within a limit on pixels."""

    folder: Path | None = None  # of the assignment
    figures: Collection[str] = ()  # addresses from the release, shown unchanged
    pixels_left: int = notebooks.PAGE_PIXELS  # remaining limit
    attachments: Mapping = field(default_factory=dict)
    missing: int = 0  # number of images that are not shown

    def __call__(self, source: str) -> str | None:
        """Return an image's `src` as a `data:` address. None, and counted, if not allowed."""
        address = self._find(source.strip())
        if address is None:
            self.missing += 1
        return address

    def decoded(self, encoded: object) -> str | None:
        """Return a base64 PNG or JPEG as a `data:` address within the limit on pixels, or None."""
        if not isinstance(encoded, str):
            return None
        try:
            data = notebooks.decode(encoded)
            mime, pixels = notebooks.measure(data)
        except notebooks.NoPicture:
            return None
        if mime not in (notebooks.PNG, notebooks.JPEG) or pixels > self.pixels_left:
            return None
        self.pixels_left -= pixels
        return f"data:{mime};base64,{base64.b64encode(data).decode()}"

    def _find(self, source: str) -> str | None:
        if source.startswith(ATTACHED):
            return self._attached(source.removeprefix(ATTACHED))
        if match := DATA.fullmatch(source):
            return self.decoded(match[1])
        if source.startswith(DRAWN):
            return source if source in self.figures else None
        return self._of_the_assignment(unquote(source))

    def _attached(self, name: str) -> str | None:
        bundle = self.attachments.get(name) or self.attachments.get(unquote(name))
        if isinstance(bundle, dict):
            for mime in (notebooks.PNG, notebooks.JPEG):
                if mime in bundle:
                    return self.decoded(bundle[mime])
        return None

    def _of_the_assignment(self, name: str) -> str | None:
        path = PurePosixPath(name)
        kind = OURS.get(path.suffix.lower())
        inside = not path.is_absolute() and ".." not in path.parts
        if kind is None or self.folder is None or not inside:
            return None
        try:
            data = files.read_regular(self.folder / path, notebooks.MAX_BYTES, self.folder)
        except (OSError, ValueError):
            return None
        return f"data:{kind};base64,{base64.b64encode(data).decode()}"
