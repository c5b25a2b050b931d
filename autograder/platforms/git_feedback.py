"""Export feedback on git repositories: a Markdown file for each repository, and a shell script that
opens each as a GitHub issue.

An issue needs no branch and no push, and leaves the student's files unchanged.
https://cli.github.com/manual/gh_issue_create
"""

from autograder.platforms.feedback import markdown_parts, zip_bytes
from autograder.platforms.grades import Grade
from autograder.platforms.platform import ClassGrades, Format
from autograder.text.wording import name_some

SCRIPT = "hand-back.sh"
TEXT = """#!/bin/sh
# Opens an issue with its feedback in each repository: sh hand-back.sh OWNER
# OWNER is whose repositories they are, where names of files do not say it.
for file in ./*.md; do
  name="$(basename "$file" .md | tr + /)"
  case "$name" in */*) ;; *) name="${1:?say whose repositories they are}/$name" ;; esac
  gh issue create --repo "$name" --title Feedback --body-file "$file" || exit
done
"""


def _part(grade: Grade, of_class: ClassGrades) -> tuple[str, bytes]:
    """Return the name of the student's repository, and the Markdown text for it. The name is "" if
    no repository of the student was collected.
    """
    received = of_class.received.get(grade.student)
    folders = received.path.split("/")[1:-1] if received else []
    text = "\n".join(markdown_parts(grade))
    return (folders or [""])[0], text.encode("utf-8", "backslashreplace")


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    found, unknown = of_class.by_name(lambda grade: of_class.parts[grade.student][0])
    files = {f"{name}.md": of_class.parts[grades[-1].student][1] for name, grades in found.items()}
    said = [f"{len(files)} texts for repositories: unpack them, and `sh {SCRIPT}` opens issues."]
    if unknown:
        said.append(f"No text for {name_some(unknown)}: no repository of theirs was collected.")
    return [zip_bytes({**files, SCRIPT: TEXT.encode()}, executable=(SCRIPT,))], said


FORMAT = Format(
    files=("git-feedback.zip",),
    part=_part,
    write=_write,
    manual=("a text for each repository, and a script", "`sh hand-back.sh` opens issues, by `gh`"),
)
