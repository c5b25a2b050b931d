#!/usr/bin/env python3
"""Hand over the result that the course has made of this submission.

Nothing that a student handed in is read or run here: submission_metadata.json, which Gradescope
writes, says which submission it is, and graded.json holds the results by that number. A submission
without one gets no results.json, so that Gradescope gives it no score, and staff read why.
"""

import json
from pathlib import Path

TOP = Path(__file__).resolve().parent  # /autograder


def main():
    with (TOP / "submission_metadata.json").open(encoding="utf-8") as file:
        number = str(json.load(file)["id"])
    with (TOP / "source" / "graded.json").open(encoding="utf-8") as file:
        course = json.load(file)
    result = course["submissions"].get(number)
    if result is None:
        print(
            f"Submission {number} has no score:", course["without"].get(number, "not graded yet.")
        )
        return
    folder = TOP / "results"
    folder.mkdir(exist_ok=True)
    with (folder / "results.json").open("w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    print("graded", number)


if __name__ == "__main__":
    main()
