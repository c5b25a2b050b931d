"""Walls around the pages on which people look at what students wrote, and around nbgrader."""

from tests.walls.wall import Wall

PAGES = "gradebook/pages"
CLEANING = f"{PAGES}/cleaning.py"
CLEAN = (f"{PAGES}/test_cleaning.py",)
POLICY = (f"{PAGES}/test_policy.py",)
SERVER = f"{PAGES}/formgrader.py"
BROWSER = f"{PAGES}/test_in_browser.py"
GUARD = "gradebook/sync/guarded_nbgrader.py"
GUARDED = ("gradebook/test_guard.py",)
ALONE = "gradebook/sync/nbgrader_alone.py"
AUTOGRADING = "gradebook/sync/autograding.py"
ONE_BY_ONE = "gradebook/sync/one_by_one.py"
EXCHANGE = "gradebook/sync/exchange.py"
COLLECT = "platforms/collect/through_nbgrader.py"
SUBMITTED = "classroom/submitted_files.py"
GOOD_ANSWERS = "gradebook/pages/good_answers.py"

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
        "        tags=TAGS | MATHML,\n",
        '        tags=TAGS | MATHML | {"button", "input"},\n',
        CLEAN,
    ),
    Wall(
        "where links lead",
        CLEANING,
        "        return _leads_elsewhere(value)\n",
        "        return True\n",
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
        '"span": {"style": COLOURED}',
        '"span": {"style": TEXT}',
        CLEAN,
    ),
    Wall(
        "sizes on a page",
        CLEANING,
        'CELLS = Pattern(r"[1-4]?[0-9]|50")',
        "CELLS = TEXT",
        CLEAN,
    ),
    Wall(
        "sizes in a formula",
        CLEANING,
        'maxsize linethickness".split(), LENGTHS\n',
        'maxsize linethickness".split(), TEXT\n',
        (f"{PAGES}/test_render.py",),
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
        "                return pictures(value)\n",
        "                return value\n",
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
        ' if scheme.kind == "markdown"',
        "",
        ("gradebook/test_good_answers.py",),
    ),
    Wall(
        "no good answer before an extension ends",
        "gradebook/lateness/late.py",
        "self.extended_until(key, due, granted, of_all) or due\n",
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
        "            _load_nothing_from_elsewhere(server.web_app.settings)\n",
        "            pass\n",
        (f"{BROWSER}::test_jupyterlabs_viewers_may_load_styles_and_frames_from_the_server_alone",),
    ),
    Wall(
        "names of folders for nbgrader",
        ONE_BY_ONE,
        "            check_name(student)\n",
        "",
        GUARDED,
    ),
    Wall(
        "folders of submissions that nbgrader has graded here",
        AUTOGRADING,
        "        check_folder(student, folder, top)\n",
        "",
        GUARDED,
    ),
    Wall(
        "what is unreadable takes no verdict's place",
        AUTOGRADING,
        "if not may_be_entered(verdict := graded.verdict):",
        "if not (verdict := graded.verdict):",
        ("gradebook/test_autograding.py",),
    ),
    Wall(
        "folders of submissions that nbgrader grades itself",
        ALONE,
        "check_folder(student, folder, folder.parents[1])",
        "[]",
        GUARDED,
    ),
    Wall(
        "hidden graders, or nbgrader alone",
        GUARD,
        "if assignment.has_graders:",
        "if False:",
        GUARDED,
    ),
    Wall(
        "the guard is there with the first converter",
        "gradebook/configuration.py",
        '        c.Autograde.exporter_class = f"{GUARD}.NotebookExporter"\n',
        "        pass\n",
        GUARDED,
    ),
    Wall(
        "a page of a graded notebook that is a link",
        "gradebook/pages/feedback.py",
        "read_regular(notebook, MAX_BYTES, notebook.parents[2])",
        "notebook.read_bytes()",
        GUARDED,
    ),
    Wall(
        "students in formgrader's list",
        GUARD,
        "{student for student in names if verdicts.STUDENT.fullmatch(student)}",
        "set(names)",
        GUARDED,
    ),
    Wall(
        "what is collected from the exchange",
        COLLECT,
        "                check_folder(name, folder, folder.parent)\n",
        "                pass\n",
        GUARDED,
    ),
    Wall(
        "times of what was collected before",
        COLLECT,
        "lambda folder: time_in(folder, self.log)",
        "self.coursedir.get_existing_timestamp",
        GUARDED,
    ),
    Wall(
        "secrets by which pages are fetched",
        EXCHANGE,
        "files.read_regular(path, files.MAX_SECRET, top).decode()",
        "path.read_bytes().decode()",
        ("gradebook/test_released_feedback.py",),
    ),
    Wall(
        "one student's trouble in nbgrader",
        ONE_BY_ONE,
        "        except Exception as error:\n",
        "        except ZeroDivisionError as error:\n",
        GUARDED,
    ),
    Wall("links beside a notebook", SUBMITTED, 'if entry.kind != "file":', "if False:", GUARDED),
    Wall(
        "number of files beside a notebook",
        SUBMITTED,
        "if len(paths) > MAX_FILES:",
        "if False:",
        GUARDED,
    ),
]
