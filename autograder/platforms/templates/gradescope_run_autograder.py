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
    number = str(json.loads((TOP / "submission_metadata.json").read_text("utf-8"))["id"])
    course = json.loads((TOP / "source" / "graded.json").read_text("utf-8"))
    result = course["submissions"].get(number)
    if result is None:
        print(
            f"Submission {number} has no score:", course["without"].get(number, "not graded yet.")
        )
        return
    (TOP / "results").mkdir(exist_ok=True)
    text = json.dumps(result, indent=1)
    (TOP / "results" / "results.json").write_text(text, encoding="utf-8")
    print("graded", number)


if __name__ == "__main__":
    main()
