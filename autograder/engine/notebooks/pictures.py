"""Decode students' pictures, and encode them again without anything invisible.

Pillow decodes them in the trusted process, so its input is limited first: three formats, the bytes,
the pixels (stated at the beginning of a file), the scans of a JPEG (each goes through the whole
picture). This does not protect against a vulnerability in a decoder itself: keep Pillow current. A
file that cannot be decoded does not count as a picture, whichever exception Pillow raises.
"""

import base64
import binascii
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageOps

FORMATS = ("PNG", "JPEG", "GIF")  # not WebP, which allocates early, nor SVG, which runs scripts
JPEGS = ("JPEG", "MPO")  # MPO: how some cameras write a JPEG
PNG, JPEG = "image/png", "image/jpeg"
MAX_BYTES = 16 << 20  # of a file
MAX_PIXELS = 36_000_000  # of a file: an 8K screen has 33 million
MAX_PHOTO = 64_000_000  # of a JPEG that can be decoded at a smaller size at once
MAX_SCANS = 100  # of a JPEG: cameras and programs write up to 20
MAX_DECODED = 50_000_000  # pixels that are decoded of a notebook's files together: a second or two
PAGE_PIXELS = 100_000_000  # of all pictures on a page: a browser has to keep them in memory
SIDE = 1_600  # pixels; a larger picture is scaled down: a page shows no more
MAX_WRITTEN = 16 << 20  # bytes of a notebook's pictures together
QUALITY = 90  # of JPEG


class NoPicture(Exception):
    """A file is not kept as a picture. The message follows "could not be kept: "."""


@dataclass(frozen=True)
class Picture:
    """A picture that was decoded and encoded again."""

    mime: str
    encoded: str  # in base64


class PictureReader:
    """Reads the pictures of a notebook, and limits their total pixels and bytes."""

    def __init__(self) -> None:
        self.pixels_left = MAX_DECODED
        self.bytes_left = MAX_WRITTEN

    def read(self, forms: Mapping[str, str]) -> Picture:
        """Return the picture in a file, encoded again.

        `forms`: the file in base64 by MIME type. The first valid picture among at most three is
        taken. Raise `NoPicture` if all are invalid, or if the notebook's pictures exceed a limit.
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
            mime, encoded_again = _written(image)
        self.bytes_left -= len(encoded_again)
        if self.bytes_left < 0:
            raise NoPicture("the pictures of this notebook are too many or too large")
        return Picture(mime, base64.b64encode(encoded_again).decode())


def decode(encoded: str) -> bytes:
    """Decode a file from base64. Raise `NoPicture` if it is too large or invalid."""
    if len(encoded) > MAX_BYTES * 4 // 3:
        raise NoPicture(f"it has more than {MAX_BYTES >> 20} MiB")
    try:
        return base64.b64decode(encoded)
    except (binascii.Error, ValueError) as error:
        raise NoPicture("it is damaged") from error


def measure(data: bytes) -> tuple[str, int]:
    """Return the MIME type and the number of pixels of a picture file without decoding it.

    Raise `NoPicture` if it is not a picture, or too large.
    """
    if len(data) > MAX_BYTES:
        raise NoPicture(f"it has more than {MAX_BYTES >> 20} MiB")
    with _opened(data) as image:
        kind = "JPEG" if image.format in JPEGS else str(image.format)
        return f"image/{kind.lower()}", image.width * image.height


def _opened(data: bytes) -> Image.Image:
    """Open a picture, reading only its beginning. Raise `NoPicture` for a wrong format or size."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about large pictures: they are refused below
            image = Image.open(BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise NoPicture("it has too many pixels") from error
    except Exception as error:  # odd bytes make Pillow raise anything
        raise NoPicture("it is no PNG, JPEG or GIF") from error
    pixels = image.width * image.height
    photo = image.format in JPEGS and "progressive" not in image.info
    if pixels > (MAX_PHOTO if photo else MAX_PIXELS):
        raise NoPicture(f"it has {image.width} x {image.height} pixels")
    if image.format in JPEGS and data.count(b"\xff\xda") > MAX_SCANS:
        raise NoPicture("it is damaged")
    return image


def _written(image: Image.Image) -> tuple[str, bytes]:
    """Return the MIME type and the bytes of the picture, scaled down and encoded again.

    Metadata (such as locations and comments) and further frames are left out. Raise `NoPicture` if
    it cannot be decoded.
    """
    mime, target = (JPEG if image.format in JPEGS else PNG), BytesIO()
    try:
        image.draft("RGB", (SIDE, SIDE))
        scaled = _in_plain_colours(image)
        # reducing_gap: first by a whole number, in a quarter of the time
        scaled.thumbnail((SIDE, SIDE), reducing_gap=1.0)
        scaled = ImageOps.exif_transpose(scaled)  # apply the camera's orientation
        pixels = Image.frombytes(scaled.mode, scaled.size, scaled.tobytes())
        if mime == JPEG:
            pixels.convert("RGB").save(target, "JPEG", quality=QUALITY)
        else:
            pixels.save(target, "PNG")
    except Exception as error:  # odd bytes make Pillow raise anything
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
