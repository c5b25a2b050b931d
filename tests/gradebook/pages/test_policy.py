"""The Content-Security-Policy that stands in each page, beside the cleaning."""

import re
from importlib.resources import files

import pytest

TEMPLATES = files("autograder.gradebook.pages") / "templates"
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"')


def rules(kind: str) -> dict[str, list[str]]:
    """What a page may load, by the kind of thing."""
    text = (TEMPLATES / kind / "index.html.j2").read_text(encoding="utf-8")
    (policy,) = POLICY.findall(text[: text.index("<title>")])  # before anything that is loaded
    return {kind: where for kind, *where in map(str.split, policy.split(";"))}


@pytest.mark.parametrize("kind", ["feedback", "formgrade"])
def test_what_a_policy_does_not_name_is_not_loaded(kind):
    named = rules(kind)
    assert [named[rule] for rule in ("default-src", "base-uri", "form-action")] == [["'none'"]] * 3
    assert named["img-src"] == ["data:"]


def test_a_feedback_page_runs_nothing_and_formgraders_its_own_scripts_alone():
    assert "script-src" not in rules("feedback")
    assert rules("formgrade")["script-src"] == ["'nonce-{{", "nonce", "}}'"]
