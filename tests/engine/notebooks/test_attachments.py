"""What a written answer names is there when it is shown, or a sentence says why not."""

import base64
import re
from io import BytesIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from PIL import Image

from autograder.engine.notebooks import attachments, pictures


def encoded(kind="PNG"):
    target = BytesIO()
    Image.new("RGB", (4, 3), "red").save(target, kind)
    return base64.b64encode(target.getvalue()).decode()


PNG = {"image/png": encoded()}
ODD = ["my file (1).png", "Größe.png", "../../x.png", "a%b.png", "x'y\"z.png", "x" * 150, "-", "."]
FILES = dict.fromkeys(("image.png", "b", *ODD), PNG) | {
    "drawing.svg": {"image/svg+xml": "<svg onload='alert(1)'/>"},
    "torn.png": {"image/png": PNG["image/png"][:40]},
    "odd.png": {"image/png": "%%%"},
}


def read(text, files=FILES):
    return attachments.read_answer(text, files, pictures.PictureReader())


def page(answer):
    """What nbconvert makes of it, which fails where a name has no picture."""
    pictures = {name: {one.mime: one.encoded} for name, one in answer.pictures.items()}
    renderer = IPythonRenderer(escape=False, attachments=pictures)
    return MarkdownWithMath(renderer=renderer).render(answer.text)


def shown(answer):
    return page(answer).count('<img src="data:image/png;base64,')


@pytest.mark.parametrize(
    "text",
    [
        "![my drawing](attachment:image.png)",
        '![my drawing](attachment:image.png "a title")',
        "![my drawing](<attachment:image.png>)",
        "![my drawing][one]\n\n[one]: attachment:image.png\n",
        "| a | b |\n|---|---|\n| 1 | ![my drawing](attachment:image.png) |",
    ],
)
def test_a_pasted_picture_is_kept_and_the_text_is_as_it_was(text):
    answer = read(text)
    assert (answer.text, answer.losses) == (text, [])
    assert answer.pictures.keys() == {"image.png"} and shown(answer) == 1


@pytest.mark.parametrize(
    "reference",
    [
        *("my file (1).png", "my%20file%20(1).png", "my%20file%20%281%29.png"),
        *("Größe.png", "Gr%C3%B6%C3%9Fe.png", "../../x.png", "a%25b.png", "x" * 150, "-"),
    ],
)
def test_a_picture_with_an_odd_name_gets_a_plain_one(reference):
    answer = read(f"before ![x](attachment:{reference}) behind")
    ((name, _),) = answer.pictures.items()
    assert re.fullmatch(r"[\w.-]+", name) and ".." not in name
    assert answer.losses == [] and shown(answer) == 1


def test_an_image_in_html_keeps_its_size_and_its_picture():
    text = '<img src="attachment:image.png" width="300">'
    assert read(text).text == text and read(text).pictures.keys() == {"image.png"}


def test_a_picture_that_stands_in_the_text_itself_becomes_an_attachment():
    data = f"data:image/png;base64,{PNG['image/png']}"
    answer = read(f'![a]({data}) and <img src="{data}">')
    assert len(answer.pictures) == 2 and "data:" not in answer.text and shown(answer) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("![x](attachment:none.png)", "`none.png` (it is not in the notebook)"),
        ("![x](attachment:)", "`without a name` (it is not in the notebook)"),
        ("![x](attachment:drawing.svg)", "`drawing.svg` (it is no PNG, JPEG or GIF)"),
        ("![x](attachment:torn.png)", "`torn.png` (it is "),
        ("![x](attachment:odd.png)", "`odd.png` (it is "),
        ('<img alt="x" src="attachment:none.png">', "`none.png` (it is not in the notebook)"),
        ("![x][y]\n\n[y]: attachment:none.png", "`none.png` (it is not in the notebook)"),
    ],
)
def test_a_picture_that_cannot_be_kept_leaves_a_sentence(text, why):
    answer = read(f"before {text} behind")
    (loss,) = answer.losses
    assert loss.startswith("pictures could not be kept: ") and why in loss
    assert not answer.pictures and "before" in page(answer) and "<img" not in page(answer)


def test_few_of_many_lost_pictures_are_named():
    (loss,) = read(" ".join(f"![](attachment:{n}.png)" for n in range(50))).losses
    assert loss.count("`") == 2 * attachments.MAX_TOLD and loss.endswith(
        f" and {50 - attachments.MAX_TOLD} more"
    )


def test_a_text_without_end_is_cut_but_not_for_its_pictures():
    answer = read("x" * (attachments.MAX_TEXT + 1) + "![x](attachment:image.png)")
    assert len(answer.text) < attachments.MAX_TEXT + 100 and "cut here" in answer.text
    assert answer.losses == ["only 30,000 characters of text are shown"]
    picture = BytesIO()
    Image.effect_noise((200, 200), 90).save(picture, "PNG")
    data = base64.b64encode(picture.getvalue()).decode()
    assert len(data) > attachments.MAX_TEXT
    assert read(f"![x](data:image/png;base64,{data})").losses == []


PIECES = (
    "attachment:~![x](~![x](<~](~)~>~<~\"~'~ ~\n~\n\n~\\~(~|~[y]: ~![y]~![x][y]~image.png~b~none~%20~&~x"
    "~my file (1).png~attach&#109;ent:~attachment&colon;~attachment\\:~&#x61;ttachment:~&amp;"
    "~<img src=~`~```\n~$~- ~> ~<b>~<!--~![](attachment:image.png~\0"
)


@given(st.lists(st.sampled_from(PIECES.split("~")), max_size=14).map("".join))
@example("![x][y]\n\n[y]: attachment:none")
@example("![x](<attachment:image.png)x>)")
@example("![x](attachment:image.png'x)")
@example("![x](attachment:image.pngx)")
@example("![x](attachment:image.png\\))")
@example("![x](attach&#109;ent&colon;none)")
@example("![x](attachment\\:none)")
@example("![x](attachment&#58;attachment:image.png)")
@example("![x]\n\n[x]: attachment:image.png)")
@example("![x](attachment:image.png\u00a0z)")
@example("![x](attachment:attachment:image.png)")
def test_no_text_whatever_names_what_is_not_there(text):
    """nbconvert raises where it meets one, and there is no feedback for that student."""
    page(read(text))


def test_a_figure_of_the_assignment_stays_as_it_is_and_another_drawing_does_not():
    ours = "data:image/svg+xml;base64,PHN2Zy8+"
    theirs = "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9IngiLz4="
    kept = attachments.read_answer(
        f'My note. <img alt="x" src="{ours}">', {}, pictures.PictureReader(), {ours}
    )
    assert ours in kept.text and not kept.losses and not kept.pictures
    lost = attachments.read_answer(f"![x]({theirs})", {}, pictures.PictureReader(), {ours})
    assert theirs not in lost.text and len(lost.losses) == 1
