"""The marking page: what is in the file, and what it does in a browser, with keys, mouse and names."""

import json
from functools import partial
from pathlib import Path

import pytest
from graded_notebooks import pieces
from marking_pages import REGION, SOLUTION, data_of, enter_class, make_page, opened
from servers import BROWSER_IS_THERE
from written_answers import WRITTEN, Book, change_source

pytestmark = [pytest.mark.database, pytest.mark.browser, BROWSER_IS_THERE]
ACTING = "button", "checkbox", "combobox", "spinbutton", "textbox", "DisclosureTriangle"


@pytest.fixture
def book(empty_book) -> Book:
    change_source(empty_book.assignment, WRITTEN, REGION.format(SOLUTION))
    return empty_book


def test_equal_answers_are_one_group_and_the_scheme_is_items(book, tmp_path):
    enter_class(book)
    path = make_page(book, tmp_path)
    data = data_of(path)
    assert path.name == f"page-Kim-{data['page'][:8]}.html"
    examples, answers = data["groups"][:2], data["groups"][2:]
    assert [example["points"] for example in examples] == [1.5, 0]
    assert [len(group["answers"]) for group in answers] == [5] * 12
    (question,) = data["questions"]
    assert [item["points"] for item in question["items"]] == [0.5, 1.5] and not question["oneOf"]


def test_another_answer_or_marker_is_another_page_and_the_same_is_the_same(book, tmp_path):
    book.enter(ada="One.", ben="Two.")
    first = make_page(book, tmp_path)
    assert make_page(book, tmp_path) == first != make_page(book, tmp_path, "Lee")
    book.enter(ada="Another one.")
    assert make_page(book, tmp_path) != first and first.is_file()


def test_a_marker_of_any_name_has_a_file_in_the_folder(book, tmp_path):
    book.enter(ada="One.")
    path = make_page(book, tmp_path, "../Kim </script> Ä")
    assert path.parent == tmp_path and path.name.startswith("page--Kim-script-Ä-")
    assert data_of(path)["marker"] == "../Kim </script> Ä"


@pytest.fixture
def browse(chromium):
    """Open a page in a browser that keeps what pages of this test store."""
    with chromium.new_context(viewport={"width": 1300, "height": 900}) as context:
        yield partial(opened, context)


def press(page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def saved(page, folder) -> tuple[Path, list[dict]]:
    """The file that the page saves, and its marks."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path, json.loads(path.read_text())["marks"]


def saved_points(page, folder) -> dict[str, float]:
    return {mark["student"]: mark["points"] for mark in saved(page, folder)[1]}


def test_sixty_answers_in_twelve_groups_are_marked_with_keys_alone(book, tmp_path, browse):
    enter_class(book)
    path = make_page(book, tmp_path)
    page = browse(path)
    press(page, "1 n 1 2")
    assert "Mean distance in 2 of the examples: 1.5 points" in page.inner_text(
        "#said, .distance:visible >> nth=-1"
    )
    press(page, "n 1 n 2 n z n 1 2 n c")
    page.keyboard.type("Why 1 root? n")
    press(page, "Escape 1")
    assert "25 of 60 answers marked, not saved yet" in page.inner_text("#progress")
    page.close()
    page = browse(path)  # another day
    assert "25 of 60 answers marked, not saved yet" in page.inner_text("#progress")
    for _ in range(7):
        press(page, "n 1")
    press(page, "n")
    assert "All is marked" in page.inner_text("#said")
    file, marks = saved(page, tmp_path)
    assert page.inner_text("#progress") == "60 of 60 answers marked"
    assert page.trouble == []
    assert file.name == f"marks-{book.assignment.id}-Kim.json" and len(marks) == 60
    by_student = {mark["student"]: mark for mark in marks}
    points = [by_student[f"s{i:02}"]["points"] for i in range(12)]
    assert points == [0.5, 1.5, 0, 2, 0.5, *[0.5] * 7]
    assert by_student["s04"]["comment"] == by_student["s16"]["comment"] == "Why 1 root? n"
    assert all(mark["items"] == ["the root", "the scale"] for mark in marks if mark["points"] == 2)


def test_changed_points_count_for_all_and_an_added_item_changes_nobody(book, tmp_path, browse):
    book.enter(ada="One.", ben="Two.")
    page = browse(make_page(book, tmp_path))
    press(page, "n n 1 n 1")
    page.get_by_text("Another item").click()
    page.get_by_label("What it is for").fill("<img src=x onerror=canary()>")
    page.get_by_label("Points", exact=True).fill("-0.25")
    page.get_by_role("button", name="Add").click()
    assert saved_points(page, tmp_path) == {"ada": 0.5, "ben": 0.5}
    page.get_by_role("checkbox", name="3 <img src=x onerror=canary()>").check()
    page.get_by_label("Points of item 1").fill("1")
    page.get_by_label("Points of item 1").press("Tab")
    ada, ben = saved(page, tmp_path)[1]
    assert (ada["points"], len(ada["items"])) == (1, 1)
    assert (ben["points"], len(ben["items"])) == (0.75, 2)
    page.get_by_label("Points of item 1").fill("9")
    page.get_by_label("Points of item 1").press("Tab")
    assert saved_points(page, tmp_path) == {"ada": 2, "ben": 2}
    assert page.trouble == []


def test_all_of_it_has_a_name_and_a_button_and_leaving_warns(book, tmp_path, browse):
    book.enter(ada="One.", ben="Two.")
    page = browse(make_page(book, tmp_path))
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    names = [node["name"]["value"] for node in tree if node.get("role", {}).get("value") in ACTING]
    assert len(names) > 12 and all(names)
    page.get_by_role("button", name="Next unmarked").click()
    page.get_by_role("button", name="Next →").click()
    assert page.get_by_role("status").first.inner_text() == "explain: Answer 1 of 2. Not marked."
    page.get_by_role("checkbox", name="1 the root").check()
    assert page.get_by_role("status").first.inner_text() == "0.5 of 2 points"
    page.get_by_role("button", name="No points").click()
    assert not page.get_by_role("checkbox", name="1 the root").is_checked()
    assert page.get_by_role("button", name="No points", pressed=True).count() == 1
    page.get_by_role("textbox", name="Comment for the student").fill("No root.")
    page.get_by_role("button", name="Previous").click()
    page.get_by_role("button", name="Help").click()
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.get_by_label("Use these keys").uncheck()
    press(page, "Escape 1")
    assert not page.get_by_role("checkbox", name="1 the root").is_checked()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"]
    (mark,) = saved(page, tmp_path)[1]
    assert (mark["student"], mark["points"], mark["comment"]) == ("ada", 0, "No root.")
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    assert len(asked) == 1


def test_saved_marks_are_loaded_where_nothing_is_marked(book, tmp_path, browse):
    book.enter(ada="One.", ben="Two.")
    page = browse(make_page(book, tmp_path))
    press(page, "n n 1 n 2")
    file, _ = saved(page, tmp_path)
    book.enter(cleo="Three.")
    page = browse(make_page(book, tmp_path))
    assert "0 of 3 answers" in page.inner_text("#progress")
    press(page, "n n 1 2")
    page.get_by_label("Load a file of saved marks").set_input_files(file)
    page.get_by_text("2 of 3 answers").wait_for()
    assert saved_points(page, tmp_path) == {"ada": 2, "ben": 1.5}
    file.write_text(file.read_text().replace('"Kim"', '"Lee"'))
    page.get_by_label("Load a file of saved marks").set_input_files(file)
    page.get_by_text("This is no file that you saved").wait_for()
    assert page.trouble == []


def test_without_items_a_scheme_has_points_in_halves_and_more_than_ten_come_in_pages(
    book, tmp_path, browse
):
    change_source(book.assignment, WRITTEN, REGION.format("Be kind."))
    book.enter(ada="One.")
    page = browse(make_page(book, tmp_path))
    press(page, "2 4")
    assert saved_points(page, tmp_path) == {"ada": 1.5}
    items = "\n".join(f"- 0.1 points: item {i}" for i in range(12))
    change_source(book.assignment, WRITTEN, REGION.format(items))
    page = browse(make_page(book, tmp_path))
    press(page, "0 m 2")
    assert page.get_by_role("checkbox", name="2 item 11").is_checked()
    assert not page.get_by_role("checkbox", name="item 9").is_visible()
    assert saved(page, tmp_path)[1][0]["items"] == ["item 9", "item 11"]


def test_whatever_students_wrote_runs_nothing_and_it_fits_a_phone(
    book, tmp_path, browse, screenshots
):
    hostile = [*pieces().values(), "</script><script>canary()</script>", "<!--<script>"]
    book.enter(**{f"h{i}": "\n\n".join(hostile[i::7]) for i in range(7)})
    path = make_page(book, tmp_path, "</script><script>canary()</script>")
    assert path.read_text().count("<script") == 2
    page = browse(path)
    page.set_viewport_size({"width": 390, "height": 844})
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 25, 29)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
        for _ in range(9):
            press(page, "1 ArrowRight")
            assert page.evaluate("document.documentElement.scrollWidth") == 390
        press(page, " ".join(["ArrowLeft"] * 9))
        if screenshots:
            page.screenshot(path=screenshots / f"marking-{scheme}.png", full_page=True)
    page.emulate_media(media="print")
    assert page.locator("article.answer:visible").count() == 9
    assert page.trouble == []


def test_only_the_pages_own_script_runs_even_where_cleaning_fails(book, tmp_path, browse):
    book.enter(ada="One.")
    path = make_page(book, tmp_path)
    smuggled = "<img src=x onerror=canary()><script>canary()</script>"
    path.write_text(path.read_text().replace("<p>One.</p>", smuggled))
    page = browse(path)
    press(page, "n n 1")
    assert smuggled in path.read_text() and "1 of 1 answers" in page.inner_text("#progress")
    assert "a script ran" not in page.trouble
