"""Walls around the pages on which people look at what students wrote, and around nbgrader."""

from tests.walls.wall import Wall

PAGES = "gradebook/pages"
CLEANING = f"{PAGES}/cleaning.py"
CLEAN = (f"{PAGES}/test_cleaning.py",)
POLICY = (f"{PAGES}/test_policy.py",)
SERVER = f"{PAGES}/formgrader.py"
BROWSER = f"{PAGES}/test_in_browser.py"
GUARD = "gradebook/guarded_nbgrader.py"
GUARDED = ("gradebook/test_guard.py",)
EXCHANGE = "gradebook/exchange.py"
SUBMITTED = "gradebook/submitted_files.py"
GOOD_ANSWERS = "gradebook/good_answers.py"

WALLS = [
    Wall(
        "policy of the feedback page",
        f"{PAGES}/templates/feedback/index.html.j2",
        "default-src 'none'; ",
        "",
        POLICY,
    ),
    Wall(
        "policy of formgrader's page",
        f"{PAGES}/templates/formgrade/index.html.j2",
        "default-src 'none'; ",
        "",
        POLICY,
    ),
    Wall(
        "scripts of formgrader's page alone",
        f"{PAGES}/templates/formgrade/index.html.j2",
        "script-src 'nonce-{{ nonce }}'; ",
        "script-src 'unsafe-inline'; ",
        POLICY,
    ),
    Wall(
        "tags on a page",
        CLEANING,
        "        tags=tags,\n",
        '        tags=tags | {"button", "input"},\n',
        CLEAN,
    ),
    Wall(
        "where links lead",
        CLEANING,
        "return value if len(value) <= 2_000 and _leads_elsewhere(value) else None",
        "return value",
        CLEAN,
    ),
    Wall(
        "no link to the reader's own network",
        CLEANING,
        ' and not NEAR.fullmatch(link["host"] or "")',
        "",
        CLEAN,
    ),
    Wall(
        "styles on a page",
        CLEANING,
        'if (COLOURED if tag == "span" else ALIGNED).fullmatch(value) else None',
        "",
        CLEAN,
    ),
    Wall(
        "sizes on a page",
        CLEANING,
        "if NUMBER.fullmatch(value) and int(value) <= LARGEST[name] else None",
        "",
        CLEAN,
    ),
    Wall(
        "an attribute that cannot be judged",
        CLEANING,
        "        except Exception:  # nh3 would keep the value\n",
        "        except ZeroDivisionError:\n",
        CLEAN,
    ),
    Wall(
        "sources of pictures",
        CLEANING,
        "            return pictures(value)\n",
        "            return value\n",
        CLEAN,
    ),
    Wall("comments on a page", CLEANING, "strip_comments=True", "strip_comments=False", CLEAN),
    Wall(
        "no good answer before the deadline",
        GOOD_ANSWERS,
        " or (deadline is not None and now <= deadline)",
        "",
        ("gradebook/test_good_answers.py",),
    ),
    Wall(
        "no solution of a code cell as a good answer",
        GOOD_ANSWERS,
        ' if one.kind == "markdown"',
        "",
        ("gradebook/test_good_answers.py",),
    ),
    Wall(
        "no good answer before an extension ends",
        "gradebook/late.py",
        "self.extended_until(key, due, granted) or due\n",
        "due\n",
        ("gradebook/test_good_answers.py",),
    ),
    Wall(
        "no file of a student's is served",
        SERVER,
        "        _serve_no_files(handlers)\n",
        "",
        (f"{BROWSER}::test_formgrader_serves_no_file_of_a_student",),
    ),
    Wall(
        "no script by an address",
        SERVER,
        "        _refuse_odd_names(handlers)\n",
        "",
        (f"{BROWSER}::test_no_link_into_formgrader_brings_a_script_or_a_configuration",),
    ),
    Wall(
        "no configuration by an address",
        SERVER,
        "        _refuse_courses_inside_courses(handlers)\n",
        "",
        (f"{BROWSER}::test_no_link_into_formgrader_brings_a_script_or_a_configuration",),
    ),
    Wall(
        "nothing from elsewhere in JupyterLab",
        SERVER,
        "        _load_nothing_from_elsewhere()\n",
        "",
        (f"{BROWSER}::test_jupyterlabs_viewers_may_load_styles_and_frames_from_the_server_alone",),
    ),
    Wall(
        "nbgrader opens what is checked",
        GUARD,
        "    files = _checked(self, folder, notebooks, alone)\n",
        "    files = []\n",
        GUARDED,
    ),
    Wall("names of folders for nbgrader", GUARD, "    check_name(student)\n", "", GUARDED),
    Wall("folders for nbgrader", GUARD, "check_folder(student, folder, top)", "[]", GUARDED),
    Wall(
        "notebooks for nbgrader",
        GUARD,
        "        check_notebook(student, folder / notebook, top)\n",
        "        pass\n",
        GUARDED,
    ),
    Wall(
        "students in formgrader's list",
        GUARD,
        "{student for student in found if STUDENT.fullmatch(student)}",
        "set(found)",
        GUARDED,
    ),
    Wall(
        "files that nbgrader copies",
        GUARD,
        " and (alone or name in asked_for)]",
        "]",
        GUARDED,
    ),
    Wall(
        "what is collected from the exchange",
        EXCHANGE,
        "            check_folder(Path(dest).parent.name, Path(src), Path(src).parent)\n",
        "            pass\n",
        GUARDED,
    ),
    Wall(
        "times of what was collected before",
        EXCHANGE,
        "lambda folder: time_in(folder, self.log)",
        "self.coursedir.get_existing_timestamp",
        GUARDED,
    ),
    Wall(
        "nbgrader reads as strictly as we do",
        "gradebook/exporters.py",
        "if not (isinstance(grading, Autograde) and grading._sanitizing):",
        "if True:",
        GUARDED,
    ),
    Wall(
        "secrets by which pages are fetched",
        EXCHANGE,
        "read_regular(top / folder.parent.name / folder.name / name, most, top)",
        "(top / folder.parent.name / folder.name / name).read_bytes()",
        ("gradebook/test_released_feedback.py",),
    ),
    Wall(
        "one student's trouble in nbgrader",
        GUARD,
        "        except Exception as error:\n            if isinstance(error.__context__, OperationalError):\n",
        "        except ZeroDivisionError as error:\n            if isinstance(error.__context__, OperationalError):\n",
        GUARDED,
    ),
    Wall("links beside a notebook", SUBMITTED, 'if entry.kind != "file":', "if False:", GUARDED),
    Wall(
        "number of files beside a notebook",
        SUBMITTED,
        "if len(found) > MAX_FILES:",
        "if False:",
        GUARDED,
    ),
]
