"""A picture of a student is decoded within bounds and written anew, or it is none."""

import base64
import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from autograder.engine.notebooks import NoPicture, pictures

PLACE = 0x8825  # EXIF's tag of where a photograph was taken
TURNED = 0x0112  # and of how the camera was held


def written(image, kind="PNG", **more):
    target = BytesIO()
    image.save(target, kind, **more)
    return target.getvalue()


def read(data, reader=None):
    """The picture, as a page would show it."""
    kept = (reader or pictures.PictureReader()).read({"image/png": base64.b64encode(data).decode()})
    data = base64.b64decode(kept.encoded)
    image = Image.open(BytesIO(data))
    assert image.get_format_mimetype() == kept.mime
    image.load()
    return image, data


def header(width, height):
    """A PNG that claims this size, with a few bytes of zeros for its pixels."""

    def chunk(kind, content):
        return (
            struct.pack(">I", len(content))
            + kind
            + content
            + struct.pack(">I", zlib.crc32(kind + content))
        )

    size = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    zeros = zlib.compress(bytes(1 << 16))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zeros) + chunk(b"IEND", b"")


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_a_png_looks_as_before(mode):
    image = Image.radial_gradient("L").resize((30, 20)).convert(mode)
    kept, _ = read(written(image))
    assert kept.convert("RGBA").tobytes() == image.convert("RGBA").tobytes()


def test_a_photograph_is_turned_and_says_no_more_where_it_was_taken():
    exif = Image.Exif()
    exif[TURNED], exif[0x010E] = 6, "written by hand"
    exif.get_ifd(PLACE)[1] = "N"
    image = Image.new("RGB", (30, 20), "white")
    data = written(image, "JPEG", exif=exif, comment=b"my words", icc_profile=b"profile" * 9)
    assert b"my words" in data and b"written by hand" in data
    kept, data = read(data)
    assert kept.format == "JPEG" and kept.size == (20, 30) and not kept.getexif()
    for word in (b"my words", b"written by hand", b"profile", b"Exif"):
        assert word not in data


def test_texts_and_profiles_of_a_png_are_left_out():
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Comment", "my words")
    data = written(Image.new("RGB", (3, 3)), pnginfo=texts, icc_profile=b"profile")
    data = read(data + b"<script>")[1]
    assert b"my words" not in data and b"iCCP" not in data and data.endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize("kind", ["GIF", "PNG"])
def test_of_a_film_the_first_picture_is_kept(kind):
    frames = [Image.new("RGB", (9, 9), colour) for colour in ("red", "blue")]
    kept, _ = read(written(frames[0], kind, save_all=True, append_images=frames[1:]))
    assert kept.format == "PNG" and getattr(kept, "n_frames", 1) == 1
    assert kept.convert("RGB").getpixel((4, 4)) == (255, 0, 0)


def test_what_is_larger_than_a_page_is_made_smaller():
    assert read(written(Image.new("L", (4_000, 1_000))))[0].size == (1_600, 400)
    assert read(written(Image.new("RGB", (4_000, 3_000)), "JPEG"))[0].size == (1_600, 1_200)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (header(30_000, 30_000), "too many pixels"),
        (header(12_000, 12_000), "12000 x 12000 pixels"),
        (header(6_001, 6_000), "6001 x 6000 pixels"),
        (header(100_000, 1), "damaged"),
        (header(1, 0), "no PNG, JPEG or GIF"),
        (written(Image.new("RGB", (300, 300), "red"))[:-30], "damaged"),
        (written(Image.effect_noise((99, 99), 9), "JPEG")[:900], "damaged"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "no PNG"),
        (written(Image.new("RGB", (3, 3)), "BMP"), "no PNG"),
        (written(Image.new("RGB", (3, 3)), "WEBP"), "no PNG"),
        (b"", "no PNG"),
    ],
    ids=lambda one: one if isinstance(one, str) else "of",
)
def test_what_is_no_picture_is_said_in_a_few_words(data, why, recwarn):
    with pytest.raises(NoPicture, match=why):
        read(data)
    assert not recwarn.list


def test_a_photograph_with_a_thousand_scans_is_refused():
    """Each scan goes through the whole picture, and takes a few bytes of the file."""
    data = written(Image.new("RGB", (64, 64)), "JPEG", progressive=True)
    start = data.index(b"\xff\xda")
    end = data.index(b"\xff", start + 2)
    with pytest.raises(NoPicture, match="damaged"):
        read(data[:end] + data[start:end] * 1_000 + data[end:])


def test_pictures_are_bounded_together(monkeypatch):
    data = written(Image.effect_noise((100, 100), 50))
    monkeypatch.setattr(pictures, "MAX_DECODED", 25_000)
    reader = pictures.PictureReader()
    for _ in range(2):
        read(data, reader)
    with pytest.raises(NoPicture, match="too many or too large"):
        read(data, reader)
    monkeypatch.setattr(pictures, "MAX_DECODED", 1_000_000)
    monkeypatch.setattr(pictures, "MAX_WRITTEN", len(data) * 3 // 2)
    reader = pictures.PictureReader()
    read(data, reader)
    with pytest.raises(NoPicture, match="too many or too large"):
        read(data, reader)


SOUND = [
    written(Image.radial_gradient("L").resize((20, 20)), kind) for kind in ("PNG", "JPEG", "GIF")
]


@given(
    st.sampled_from(SOUND),
    st.lists(st.tuples(st.integers(0, 2_000), st.binary(min_size=1, max_size=4)), max_size=6),
)
def test_any_changed_bytes_are_a_picture_or_none(data, changes):
    changed = bytearray(data)
    for place, new in changes:
        place %= len(changed)
        changed[place : place + len(new)] = new
    try:
        kept, _ = read(bytes(changed))
    except NoPicture:
        return
    assert max(kept.size) <= pictures.SIDE
