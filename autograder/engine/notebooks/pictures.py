"""Decode students' pictures, and encode them again with nothing but what is visible.

Pillow decodes them in the trusted process, so what reaches its decoders is limited first: three
formats, the bytes, the pixels (stated at the beginning of a file), the scans of a JPEG (each goes
through the whole picture). This does not protect against a vulnerability in a decoder itself: keep
Pillow current. A file that cannot be decoded counts as no picture, whatever Pillow raises.
"""

import base64
import binascii
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageOps

FORMATS = ("PNG", "JPEG", "GIF")  # WebP and SVG are none: one builds before it is asked, one runs
JPEGS = ("JPEG", "MPO")  # MPO: how some cameras write a JPEG
PNG, JPEG = "image/png", "image/jpeg"
MAX_BYTES = 16 << 20  # of one file
MAX_PIXELS = 36_000_000  # of one file: an 8K screen has 33 million
MAX_PHOTO = 64_000_000  # of a JPEG that can be decoded at a smaller size at once
MAX_SCANS = 100  # of a JPEG: cameras and programs write up to 20
MAX_DECODED = 50_000_000  # pixels that are decoded of a notebook's files together: a second or two
PAGE_PIXELS = 100_000_000  # that one page shows together: a browser has to hold them
SIDE = 1_600  # pixels; a larger picture is made smaller: a page shows no more
MAX_WRITTEN = 16 << 20  # bytes of a notebook's pictures together
QUALITY = 90  # of JPEG


class NoPicture(Exception):
    """A file is not kept as a picture. The message says why, as the end of "could not be kept: "."""


@dataclass(frozen=True)
class Picture:
    """A picture that was decoded and encoded again: its MIME type, and its bytes in base64."""

    mime: str
    encoded: str  # its bytes in base64


class PictureReader:
    """Reads the pictures of one notebook, and limits their pixels and bytes together."""

    def __init__(self) -> None:
        self.pixels_left = MAX_DECODED
        self.bytes_left = MAX_WRITTEN

    def read(self, forms: Mapping[str, str]) -> Picture:
        """Return the picture in one file, encoded again. `forms`: the file in base64 by MIME type;
        the first of at most three that is a picture is taken. Raise `NoPicture` if none is, or if
        the pictures of the notebook together exceed a limit.
        """
        refused = NoPicture("it is empty")
        for form in list(forms.values())[: len(FORMATS)]:
            try:
                return self._read(form)
            except NoPicture as error:
                refused = error
        raise refused

    def _read(self, encoded: str) -> Picture:
        with _opened(decode(encoded)) as image:
            if "progressive" not in image.info:
                image.draft("RGB", (SIDE, SIDE))  # a JPEG is decoded at a smaller size at once
            self.pixels_left -= image.width * image.height
            if self.pixels_left < 0:
                raise NoPicture("the pictures of this notebook are too many or too large")
            mime, written = _written(image)
        self.bytes_left -= len(written)
        if self.bytes_left < 0:
            raise NoPicture("the pictures of this notebook are too many or too large")
        return Picture(mime, base64.b64encode(written).decode())


def decode(encoded: str) -> bytes:
    """Return the bytes of a file; `encoded` is the file in base64. Raise `NoPicture` if it is too
    large or no base64.
    """
    if len(encoded) > MAX_BYTES * 4 // 3:
        raise NoPicture(f"it has more than {MAX_BYTES >> 20} MiB")
    try:
        return base64.b64decode(encoded)
    except (binascii.Error, ValueError) as error:
        raise NoPicture("it is damaged") from error


def measure(data: bytes) -> tuple[str, int]:
    """Return the MIME type of a picture and how many pixels it has; it is not decoded. `data`: the
    bytes of its file.

    Raise `NoPicture` if it is no picture, or too large.
    """
    if len(data) > MAX_BYTES:
        raise NoPicture(f"it has more than {MAX_BYTES >> 20} MiB")
    with _opened(data) as image:
        kind = "JPEG" if image.format in JPEGS else str(image.format)
        return f"image/{kind.lower()}", image.width * image.height


def _opened(data: bytes) -> Image.Image:
    """Open a picture, reading only its beginning. Raise `NoPicture` if it is no PNG, JPEG or GIF,
    or too large.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is too large: that is refused below
            image = Image.open(BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise NoPicture("it has too many pixels") from error
    except Exception as error:  # whatever odd bytes make Pillow raise
        raise NoPicture("it is no PNG, JPEG or GIF") from error
    pixels = image.width * image.height
    photo = image.format in JPEGS and "progressive" not in image.info
    if pixels > (MAX_PHOTO if photo else MAX_PIXELS):
        raise NoPicture(f"it has {image.width} x {image.height} pixels")
    if image.format in JPEGS and data.count(b"\xff\xda") > MAX_SCANS:
        raise NoPicture("it is damaged")
    return image


def _written(image: Image.Image) -> tuple[str, bytes]:
    """Return the MIME type and the bytes of the picture, encoded again and scaled down to the size
    that pages show.

    Metadata (such as places and comments) and further frames are left out. Raise `NoPicture` if it
    cannot be decoded.
    """
    mime, target = (JPEG if image.format in JPEGS else PNG), BytesIO()
    try:
        image.draft("RGB", (SIDE, SIDE))
        shown = _in_plain_colours(image)
        shown.thumbnail(
            (SIDE, SIDE), reducing_gap=1.0
        )  # by a whole number first: a quarter of the time
        shown = ImageOps.exif_transpose(shown)  # a camera that was held upright says so
        pixels = Image.frombytes(shown.mode, shown.size, shown.tobytes())
        if mime == JPEG:
            pixels.convert("RGB").save(target, "JPEG", quality=QUALITY)
        else:
            pixels.save(target, "PNG")
    except Exception as error:  # whatever odd bytes make Pillow raise
        raise NoPicture("it is damaged") from error
    return mime, target.getvalue()


def _in_plain_colours(image: Image.Image) -> Image.Image:
    """Return the picture in grey, RGB or RGBA, whichever loses nothing visible."""
    if image.mode.startswith(("I", "F")):  # 16 bits of grey
        return image.convert("I").point(lambda grey: grey * (1 / 256)).convert("L")
    if image.mode in ("L", "RGB", "RGBA") and "transparency" not in image.info:
        image.load()
        return image
    if image.mode in ("1", "L") and "transparency" not in image.info:
        return image.convert("L")
    return image.convert("RGBA" if image.has_transparency_data else "RGB")
