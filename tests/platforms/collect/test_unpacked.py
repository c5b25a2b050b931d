"""What was unpacked by hand is still its student's, of the platform's time."""

import pytest
from downloads import BOOK, ID, MOODLE, collect_words, ours, standing, timestamp, zipped

from autograder._commands.main import main
from autograder.classroom.roster import read_roster

pytestmark = pytest.mark.slow

ADA = "ada-softmax-1234567"
GOOD = {f"Ben Mask_7_assignsubmission_file/{BOOK}": ours()}
NESTED = {f"{MOODLE}/hw.zip": zipped({"deep.zip": zipped({BOOK: ours(1)})})}


@pytest.fixture
def collect_unpacked(into, tmp_path, capfd):
    """Collect a folder that has a student's id as its name, as the sentence says."""

    def run(student: str):
        folder = tmp_path / "unpacked" / student
        folder.mkdir(parents=True, exist_ok=True)
        (folder / BOOK).write_bytes(ours(1))
        words = [*collect_words(into), "--timezone", "UTC"]
        status = main(["collect", str(folder.parent), *words])
        return status, "".join(capfd.readouterr())

    return run


def test_an_archive_unpacked_by_hand_keeps_its_number_and_its_time(collect, into, collect_unpacked):
    assert collect(NESTED | GOOD)[0] == 3
    status, said = collect_unpacked(ADA)
    assert status == 0, said
    assert "with the time of the archive" in " ".join(said.split())
    assert standing(into)[ADA] == ours(1)
    assert timestamp(into, ADA) == timestamp(into, "ben-mask-7")
    known = read_roster(into, ID)[ADA]
    assert (known.name, known.platform, known.number) == ("Ada Softmax", "moodle", "1234567")
    assert not (into.parent / f"unmatched-{ID}.csv").exists()
    status, said = collect_unpacked(ADA)
    assert status == 0 and "unchanged" in said
    assert timestamp(into, ADA) == timestamp(into, "ben-mask-7")
    assert "unmatched" not in collect(NESTED | GOOD)[1].replace("none unmatched", "")


def test_the_time_of_what_is_no_archive_is_not_taken_for_that_of_a_later_notebook(
    collect, into, collect_unpacked
):
    collect({f"{MOODLE}/hw.pdf": b"%PDF"} | GOOD)
    assert collect_unpacked(ADA)[0] == 0
    assert read_roster(into, ID)[ADA].number == "1234567"
    assert not (into / ADA / ID / "timestamp.txt").exists()


def test_a_folder_of_another_student_is_not_taken_for_it(collect, into, collect_unpacked):
    collect(NESTED | GOOD)
    collect_unpacked("cleo-value-9")
    assert read_roster(into, ID)["cleo-value-9"].number == ""
    assert (into.parent / f"unmatched-{ID}.csv").exists()
