"""What a good answer says is shown where the course wants it, and to nobody before their own deadline."""

from datetime import datetime, timedelta

import pytest
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from traitlets.config import Config
from written_answers import WRITTEN, Book, change_source

from autograder import Assignment
from autograder.engine.courses import CONFIG
from autograder.gradebook.pages.feedback import feedback_pages
from autograder.gradebook.pages.good_answers import GoodAnswers
from autograder.gradebook.pages.schemes import schemes

pytestmark = pytest.mark.usefixtures("read_without_fork")

SAMPLE, SCHEME = "It divides by the root.", "| 1 | the <b>root</b> |<script>canary()</script>"
SOLUTION = (
    f"<!-- ### BEGIN SOLUTION -->\n{SAMPLE}\n\n**Marking scheme**\n\n| points | for |\n|---|---|\n"
    f"{SCHEME}\n\n**Example answer** (1 point)\n\nInvented.\n<!-- ### END SOLUTION -->"
)
PAST, TO_COME = datetime(2026, 1, 10, 18), datetime(2999, 1, 1)
SHOWN = "What a good answer says"
STUDENTS = {"ada", "ben", "cleo"}


class Class:
    """Three students with a written answer, in a course that shows good answers or does not."""

    def __init__(self, assignment: Assignment, setting: str):
        self.assignment, self.id = assignment, assignment.id
        self.root = assignment.course.root
        with (self.root / CONFIG).open("a") as config:
            config.write(f"\n{setting}\n")
        self.book = Book(assignment)
        self.book.enter(ada="Mine.", ben="Mine.", cleo="Mine.")

    def due(self, when: datetime | None, extended: str = "") -> None:
        """Enter the due date, and an extension by hand, until 2999."""
        with Gradebook(self.book.url) as rows:
            rows.find_assignment(self.id).duedate = when
            if extended:
                rows.find_submission(self.id, extended).extension = TO_COME - PAST
            rows.db.commit()

    def page(self, student: str) -> str:
        return (self.root / "feedback" / student / self.id / f"{self.id}.html").read_text()

    def shown(self) -> set[str]:
        """Make all pages; return whose show a good answer, all of it or nothing."""
        self.book.course.convert(GenerateFeedback, self.assignment)
        pages = {student: self.page(student) for student in STUDENTS}
        found = {student for student, page in pages.items() if SHOWN in page}
        for words in (SAMPLE, "arking scheme", "the <b>root</b>"):
            assert {student for student, page in pages.items() if words in page} == found
        for words in ("xample answer", "Invented."):
            assert not any(words in page for page in pages.values())
        return found


@pytest.fixture
def sheet(copied) -> Assignment:
    """The small assignment with a sample answer."""
    change_source(copied, WRITTEN, SOLUTION)
    return copied


@pytest.fixture
def showing(sheet) -> Class:
    return Class(sheet, "c.GoodAnswers.show = True")


@pytest.mark.database
def test_nothing_is_shown_unless_the_course_says_so(sheet):
    silent = Class(sheet, "")
    silent.due(PAST)
    assert silent.shown() == set()


@pytest.mark.database
def test_nothing_is_shown_before_the_deadline_and_pages_made_then_are_old_after_it(showing):
    pages = feedback_pages(showing.root, None, showing.id)
    showing.due(TO_COME)
    assert showing.shown() == set() and not pages.make("ada")
    showing.due(PAST)
    assert pages.make("ada") and not pages.make("ada")
    assert showing.shown() == STUDENTS


@pytest.mark.database
def test_it_stands_below_the_students_own_answer_folded_and_cleaned(showing):
    showing.due(PAST)
    showing.shown()
    section = showing.page("ada").partition(f'id="cell-{WRITTEN}"')[2].partition("</section>")[0]
    own, _, good = section.partition('<details class="good-answer">')
    assert "Mine." in own and SAMPLE in good
    assert good.index(SAMPLE) < good.index("arking scheme") and "canary" not in good


@pytest.mark.database
@pytest.mark.parametrize("due", [PAST, None])
def test_an_extension_holds_it_back_for_that_student_alone(showing, due):
    showing.due(due, extended="cleo" if due else "")
    (showing.root / "extensions.csv").write_text(
        f"student,assignment,until\nben,{showing.id},2999-01-01\nada,another,2999-01-01\n"
    )
    assert showing.shown() == ({"ada"} if due else {"ada", "cleo"})


@pytest.mark.database
def test_while_the_extensions_cannot_be_read_nobody_is_shown_anything(showing):
    showing.due(PAST)
    (showing.root / "extensions.csv").write_text("student,assignment,until\nben,x,soon\n")
    assert showing.shown() == set()


@pytest.mark.database
def test_minutes_of_grace_belong_to_the_deadline(sheet):
    forgiving = Class(sheet, "c.GoodAnswers.show = True\nc.LatePolicy.grace_minutes = 10_000_000")
    forgiving.due(PAST)
    line = f"ben,{forgiving.id},2026-02-01"  # an extension has the grace as well
    (forgiving.root / "extensions.csv").write_text(f"student,assignment,until\n{line}\n")
    assert forgiving.shown() == set()


@pytest.mark.database
def test_of_a_code_cell_nothing_is_shown_also_where_a_person_marks_it(showing):
    change_source(showing.assignment, "softmax", grade=True, points=2)
    assert schemes(showing.assignment).keys() == {"softmax", WRITTEN}
    assert showing.shown() == STUDENTS
    assert showing.page("ada").count('<details class="good-answer">') == 1


@pytest.mark.parametrize(("minutes", "is_shown"), [(-1, False), (0, False), (1, True)])
def test_the_deadline_itself_is_still_before_it(sheet, minutes, is_shown):
    now = PAST + timedelta(minutes=minutes)
    good_answers = GoodAnswers(config=Config(GoodAnswers={"show": True}))
    assert bool(good_answers.of(sheet, PAST, now)) == is_shown
