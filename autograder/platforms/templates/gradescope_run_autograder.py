#!/usr/bin/env python3
"""Give a submission the result that the course has made of it.

Students' files are neither read nor run here. submission_metadata.json, written by Gradescope, has
the number of the submission, and graded.json the results by number. A submission without a result
gets no results.json, so that Gradescope gives it no score and shows the reason to staff.
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
