"""A folder for each student, under whatever name."""

from downloads import BOOK, Collect, ours, standing


def collect_folders(collect: Collect, *names: str) -> tuple[int, str]:
    """Collect notebooks of these names, each with its own content."""
    files = {name: ours(number) for number, name in enumerate(names)}
    return collect(files, words=["--platform", "folder"])


def test_a_folder_around_them_all_is_nobodys(collect, into):
    assert collect_folders(collect, f"class/ada/{BOOK}", f"class/ben/{BOOK}")[0] == 0
    assert standing(into) == {"ada": ours(0), "ben": ours(1)}


def test_a_folder_inside_of_one_students_is_not_another_student(collect, into):
    assert collect_folders(collect, f"ada/work/{BOOK}", f"ben/{BOOK}")[0] == 0
    assert standing(into) == {"ada": ours(0), "ben": ours(1)}


def test_the_only_folder_is_a_students(collect, into):
    assert collect_folders(collect, f"ada/{BOOK}")[0] == 0
    assert standing(into) == {"ada": ours(0)}


def test_what_lies_beside_the_folders_is_listed_and_nobodys(collect, into):
    status, said = collect_folders(collect, f"ada/{BOOK}", f"ben/{BOOK}", "mine.ipynb")
    assert status == 3 and "`mine.ipynb`" in said
    assert standing(into) == {"ada": ours(0), "ben": ours(1)}
