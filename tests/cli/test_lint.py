"""`lint` on the command line: a line for each missing piece, and an exit status."""

from autograder.authoring.skeleton import begin_assignment
from autograder.cli.exit_status import FAILED, OK, USAGE
from autograder.cli.main import main


def test_a_new_assignment_lacks_an_exercise_and_a_release(empty_course, capsys):
    begin_assignment("sheet", empty_course)
    assert main(["lint", "--course", str(empty_course.root)]) == FAILED
    assert capsys.readouterr().out.splitlines() == [
        "sheet: the notebook has no exercise yet: a solution cell and its check cell.",
        "sheet: the cell `title` still says TODO(author).",
        "sheet: release/sheet/ is not made yet: run `python -m autograder release sheet`.",
    ]


def test_an_assignment_that_lacks_nothing_is_told_in_one_line(finished, capsys):
    where = ["--course", str(finished.course.root)]
    assert main(["lint", *where]) == FAILED
    assert "my-sheet.ipynb is not what source/ makes: run" in capsys.readouterr().out
    assert main(["release", *where]) == OK and capsys.readouterr()
    assert main(["lint", *where]) == OK
    assert capsys.readouterr().out == "Nothing is missing in my-sheet.\n"


def test_an_assignment_that_is_not_there_is_refused(finished, capsys):
    assert main(["lint", "no-sheet", "--course", str(finished.course.root)]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert "There is: my-sheet." in line
