"""The course's records: several may read and write at once, from the first record on."""

from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct

from autograder.classroom.records import add_records, read_records, stored_in


@stored_in("rung_bells")
class Bell(Struct, frozen=True):
    student: str


def test_many_at_once_lose_nothing_and_wait_for_each_other(tmp_path):
    results = tmp_path / "results"

    def ring(number: int) -> int:
        if number % 2:
            add_records(results, "sheet-1", [Bell(f"s{number}")])
        return len(read_records(results, "sheet-1", Bell))

    with ThreadPoolExecutor(8) as pool:
        counts = [*pool.map(ring, range(24))]
    students = {bell.student for bell in read_records(results, "sheet-1", Bell)}
    assert students == {f"s{number}" for number in range(1, 24, 2)} and max(counts) <= 12
