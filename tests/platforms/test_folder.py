"""A folder for each student, under whatever name."""

from downloads import BOOK, ID, Collect, ours, standing

from autograder.classroom.roster import Person
from autograder.platforms.collect.archive import open_download
from autograder.platforms.recognise import sort_by_student


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


def test_a_folders_name_is_an_id_an_address_or_a_name(tmp_path):
    for name in ("ada", "12345", "ada@uni.example", "Ada Softmax", "ada soft@uni.example"):
        (tmp_path / name).mkdir()
        (tmp_path / name / BOOK).write_bytes(ours())
    _, contents = sort_by_student(open_download(tmp_path), ID)
    assert [submission.person for submission in contents.handed_in] == [
        Person("12345", platform="folder"),
        Person("ada-softmax", "Ada Softmax", platform="folder"),
        Person("ada", platform="folder"),
        Person("ada-soft-uni-example", "", "ada soft@uni.example", "folder"),
        Person("ada@uni.example", "", "ada@uni.example", "folder"),
    ]
