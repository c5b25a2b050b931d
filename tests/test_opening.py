"""What students sent is opened by `files/`, and nowhere else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1] / "autograder"
ROOMS = (
    "classroom",
    "gradebook",
    "platforms",
    "desk",
)  # whose paths lead to what students sent
FILES = [
    file
    for room in ROOMS
    for file in sorted((TOP / room).rglob("*.py"))
    if "commands" not in file.parts and file.parent.name != "report"  # what staff name
]
OPENING = {"open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes"}
OPENING |= {"copy", "copy2", "copyfile", "copytree", "move", "unpack_archive", "extractall"}
OPENING |= {"glob", "rglob", "iterdir", "listdir", "scandir", "walk", "find_all_files"}
OPENING |= {"is_file", "is_dir", "exists", "lexists", "is_symlink", "stat", "lstat"}
ALLOWED = {  # each with its reason
    "classroom/apart.py": {
        "grade": "only whether the notebook that the caller names is there",
        "main": "the pipe on which the answer is written",
    },
    "classroom/find.py": {
        "find_submissions": "the place that the command line names",
        "trusted_folder": "the same",
        "in_nbgrader_layout": "the same",
        "assignments_in": "the same, and whether students' folders are there: nothing is opened",
        "refuse_other_folders": "the same",
        "_did_you_mean": "folders beside it, for a sentence",
        "_has_handed_in": "only whether there is something, also behind a link: nothing is opened",
    },
    "classroom/records/database.py": {
        "records_url": "only whether the course has its configuration there",
        "open_records": "only whether there are records yet",
    },
    "classroom/reach.py": {"check_settings": "only whether the staff's certificates are there"},
    "classroom/watch.py": {
        "_poll": "whether the place that the command line names is there",
        "_state": "whether something has changed, of a link the link's own: nothing is opened",
    },
    "platforms/exports.py": {"sent_since": "when the sheet that staff name was downloaded"},
    "platforms/collect/graded.py": {"put_by_hand": "the time of a file that has just been read"},
    "platforms/collect/run.py": {"alone_in": "the folder of all submissions, or one above"},
    "platforms/collect/through_nbgrader.py": {
        "_is_refused": "whose a folder is: nothing is opened",
        "_is_asked_for": "only whether something was collected: nothing is opened",
    },
    "platforms/collect/archive.py": {
        "open_download": "the download that the command line names",
    },
    "gradebook/sync/database.py": {
        "check_gradebook": "the gradebook that the course names",
        "_is_there": "the same",
    },
    "gradebook/sync/exchange.py": {
        "copy_files": "names of pages that we made in feedback/",
        "ensure_directory": "whose a folder of the exchange is, as nbgrader asks",
        "_release": "a page that we made, and one that we released: students cannot write there",
    },
    "gradebook/sync/one_file.py": {"remove_figures": "a release that nbgrader has just made"},
    "gradebook/pages/feedback_without_grade.py": {
        "_pages": "only whether it is there: nothing is opened"
    },
    "gradebook/pages/feedback.py": {"_graded": "names of notebooks that we made in autograded/"},
    "gradebook/sync/nbgrader_alone.py": {
        "autograde_alone": "the staff's own source/",
        "convert": "the size of a file that was checked",
        "convert_or_put_back": "a folder that nbgrader made, links as they are",
        "_copied": "a folder of our own, into which what was read is copied",
    },
    "gradebook/sync/nbgrader_course.py": {
        "_pictures_beside": "the staff's own source/",
        "gradebook": "only whether the staff's own gradebook is there yet",
    },
    "gradebook/pages/pristine.py": {
        "pristine_of": "the staff's own release/, or source/",
        "assignment_of": "only whether there is a configuration: nothing is opened",
        "read_pristine": "the same",
    },
    "gradebook/pages/formgrader.py": {
        "_refuse_courses_inside_courses": "only whether there is a configuration: nothing is opened",
        "careful": "the same",
    },
    "gradebook/pages/of_grade.py": {"nbgrader_page": "whether there is a page: nothing is opened"},
    "gradebook/grades.py": {
        "assignments_in": "the folder that the command line names",
        "_known_in": "our own folder of results",
    },
    "platforms/export.py": {
        "_export_paths": "the place that the command line names",
        "_paths": "the same",
        "_is_export": "the same",
    },
    "platforms/gradescope.py": {"_write": "templates in this package"},
    "desk/viva/calls.py": {"read_calls": "the staff's own file beside the graders"},
    "desk/viva/changed.py": {
        "changes": "the catalogue in this package",
        "_left_out": "a walk through a syntax tree: nothing is opened",
    },
    "desk/viva/question.py": {"own_lines": "the same"},
    "desk/viva/traced.py": {"__init__": "the same", "_recorded": "the same"},
    "desk/student_data/course_files.py": {
        "course_files": "whether staff made a link in place of a folder of their own course",
    },
    "desk/student_data/subject.py": {"_texts": "a member of a zip: its bytes are counted"},
    "platforms/templates/gradescope_run_autograder.py": {
        "main": "Gradescope's own file and ours: it runs there, without this package",
    },
}


def openings(text: str) -> Iterator[tuple[str, str]]:
    """The functions of a module that open, copy or look for files in a way of their own."""
    tree = ast.parse(text)
    ours = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and str(node.module).startswith("autograder.engine.files.")
        for alias in node.names
    }
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    outside = [node for node in ast.walk(tree) if id(node) not in inside]
    for name, nodes in [("", outside), *((one.name, list(ast.walk(one))) for one in functions)]:
        for node in nodes:
            called = node.func if isinstance(node, ast.Call) else None
            word = getattr(called, "attr", getattr(called, "id", ""))
            by_files = isinstance(called, ast.Attribute) and ast.unparse(called.value) == "files"
            if (
                word in OPENING
                and not by_files
                and not (isinstance(called, ast.Name) and word in ours)
            ):
                yield name, word


def allowed(file: Path) -> dict[str, str]:
    return ALLOWED.get(str(file.relative_to(TOP)), {})


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(TOP)))
def test_a_file_of_a_students_is_opened_by_one_module(file):
    found = dict(openings(file.read_text(encoding="utf-8")))
    assert found.keys() <= allowed(file).keys(), (
        "read through autograder.engine.files, or say why not"
    )
    assert allowed(file).keys() <= found.keys(), "an exception that nothing needs"


def test_every_exception_is_of_a_module_that_is_there():
    assert ALLOWED.keys() <= {str(file.relative_to(TOP)) for file in FILES}


@pytest.mark.parametrize(
    "code",
    ["open(p)", "p.read_text()", "os.open(p, 0)", "list(p.glob('*'))", "shutil.copy(p, q)"],
)
def test_another_way_of_opening_is_noticed(code):
    assert list(openings(f"def read(p):\n    {code}\n")) and list(openings(f"x = {code}\n"))
    ours = "from autograder.engine.files.reading import walk\n"
    assert not list(openings(f"{ours}def read(p):\n    return walk(p, p, 3)\n"))
