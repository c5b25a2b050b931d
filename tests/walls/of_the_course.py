"""Walls around what is handed in, and around the gradebook."""

from tests.walls.wall import Wall

SUBMISSION = "engine/notebooks/submission.py"
PLACING = "engine/placing.py"
REPAIR = "engine/notebooks/test_submission.py"
NOTEBOOK = "engine/notebooks/reader.py"
JSON = "engine/notebooks/json_parts.py"
FILES = "engine/files/reading.py"
OPENING = ("engine/files/test_reading.py",)
PICTURES = "engine/notebooks/pictures.py"
DECODING = ("engine/notebooks/test_pictures.py",)
SHOWN = ("engine/texts/test_printable.py",)
READING = ("engine/notebooks/test_reader.py",)
GIT = "platforms/git_objects.py"
ARCHIVE = "platforms/collect/archive.py"
DOWNLOAD = "platforms/download.py"
DOWNLOADS = ("platforms/collect/test_archive.py",)
FOLDERS = ("platforms/collect/test_hostile_folders.py",)
LISTED = ("platforms/collect/test_unmatched.py",)
CHOSEN = ("platforms/collect/test_choose.py",)

WALLS = [
    Wall("provided cells run as released", SUBMISSION, "    if pristine and not pristine.solution and not cell.provided:\n", "    if False:\n", (f"{REPAIR}::test_provided_cells_run_as_released_and_then_as_changed",)),
    Wall("check cells are the pristine ones", SUBMISSION, "    if pristine.check or (index < 0 and not parts):", "    if index < 0 and not parts:", (REPAIR,)),
    Wall("check cells are not run", SUBMISSION, "(pristine and (pristine.check or pristine.skipped))", "(pristine and pristine.skipped)", (REPAIR,)),
    Wall("the one with an answer counts", PLACING, "(written or indices)[-1]", "indices[-1]", (REPAIR,)),
    Wall("length of a text that may be code", PLACING, "    if len(cell.source) > LONGEST_PROSE:", "    if False:", (REPAIR,)),
    Wall("state at the answer", "engine/examiner/supervisor.py", "if self._restored != self.state:", "if False:", ("engine/test_states.py",)),
    Wall("bytes of a notebook's file", NOTEBOOK, "read_regular(path, MAX_BYTES, top", "read_regular(path, 1 << 62, top", READING),
    Wall("bytes of a notebook", NOTEBOOK, "if len(data) > MAX_BYTES:", "if False:", READING),
    Wall("cells of a notebook", NOTEBOOK, "if number > MOST_CELLS:", "if False:", READING),
    Wall("code of a notebook", NOTEBOOK, 'if sum(len(cell.source) for cell in cells if cell.kind == "code") > MOST_CODE:', "if False:", READING),
    Wall("names in JSON once", JSON, "if name in names or len(names)", "if len(names)", READING),
    Wall("number of names in JSON", JSON, " or len(names) == MAX_NAMES:", ":", READING),
    Wall("length of a text in JSON", JSON, "if len(memoryview(part)) > MAX_TEXT or bytes", "if bytes", READING),
    Wall("depth of a notebook", NOTEBOOK, "except (Damaged, RecursionError) as error:", "except Damaged as error:", READING),
    Wall("regular files", FILES, "        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):", "        if False:", OPENING, also=((FILES, "if not stat.S_ISREG(os.fstat(descriptor).st_mode):", "if False:"),)),
    Wall("regular files, when they are open", FILES, "if not stat.S_ISREG(os.fstat(descriptor).st_mode):", "if False:", OPENING),
    Wall("no link followed to a file", FILES, "os.open(name, FILE | os.O_NOFOLLOW, dir_fd=folder)", "os.open(name, FILE, dir_fd=folder)", OPENING, also=((FILES, "        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):", "        if False:"),)),
    Wall("no link followed to a folder", FILES, "os.open(part, FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)", "os.open(part, FOLDER, dir_fd=descriptor)", OPENING),
    Wall("no way up", FILES, """good = ".." not in parts and""", "good =", OPENING),
    Wall("files of a folder", FILES, "if len(listing) >= max_entries:", "if False:", OPENING),
    Wall("size of a file", FILES, "    if size > max_bytes:\n        raise", "    if False:\n        raise", OPENING, also=((FILES, "    if len(data) > max_bytes:", "    if False:"),)),
    Wall("size of a file that grows", FILES, "    if len(data) > max_bytes:", "    if False:", OPENING),
    Wall("pixels of a picture", PICTURES, "if pixels > (MAX_PHOTO if photo else MAX_PIXELS):", "if False:", DECODING),
    Wall("pixels of all pictures", PICTURES, "if self.pixels_left < 0:", "if False:", DECODING),
    Wall("bytes of all pictures", PICTURES, "if self.bytes_left < 0:", "if False:", DECODING),
    Wall("scans of a picture", PICTURES, 'if image.format in JPEGS and data.count(b"\\xff\\xda") > MAX_SCANS:', "if False:", DECODING),
    Wall("formats of pictures", PICTURES, "Image.open(BytesIO(data), formats=FORMATS)", "Image.open(BytesIO(data))", DECODING),
    Wall("length of a written answer", "engine/notebooks/attachments.py", "if len(text) > MAX_TEXT:", "if False:", ("engine/notebooks/test_attachments.py",)),
    Wall("hashes of several values", "engine/files/digest.py", 'json.dumps(values, ensure_ascii=False, separators=(",", ":"))', '"\\0".join(map(str, values))', ("engine/files/test_digest.py",)),
    Wall("printable text", "engine/texts/printable.py", "if text.isascii() and text.isprintable():", "if True:", SHOWN),
    Wall("no formulas", "engine/texts/printable.py", """return _FORMULA.sub("'", text)""", "return text", SHOWN),
    Wall("depth of a page", "gradebook/pages/cleaning.py", "if depth > MAX_DEPTH:", "if False:", ("gradebook/pages/test_cleaning.py",)),
    Wall("characters of what is shown as written", "gradebook/pages/render.py", "escape(text[:MAX_PLAIN])", "escape(text)", ("gradebook/pages/test_render.py",)),
    Wall("practice never enters", "gradebook/sync/nbgrader_course.py", " and not verdict.is_practice", "", ("gradebook/test_enter.py",)),
    Wall("practice is never exported", "platforms/export.py", "    _refuse_practice(results)\n", "", ("desk/commands/test_practice.py",)),
    Wall("fresh seeds", "engine/verdicts/fingerprint.py", "secrets.randbits(31) if", "0 if", ("engine/verdicts/test_fingerprint.py",)),
    Wall("seed of each check", "engine/examiner/session.py", "manual_seed(self.seed ^ salt)", "manual_seed(0)", ("engine/examiner/test_session.py",)),
    Wall("two spellings of one id", "platforms/collect/settle.py", "if key != _sender_key(submission)", "if False", ("platforms/test_whose.py::test_whose_each_file_is",)),
    Wall("a name at GitHub is a guess", "platforms/git.py", 'Person("", platform=PLATFORM', "Person(user, platform=PLATFORM", ("platforms/test_git.py::test_a_name_that_somebody_took_at_github_is_nobodys",)),
    Wall("whose files of the exchange are", "platforms/exchange.py", 'return pwd.getpwuid(owner).pw_name != inbound["user"]', "return False", ("platforms/test_exchange.py",)),
    Wall("time and memory that a clone takes", GIT, "return limits.run_bounded(read, SECONDS)", "return read()", ("platforms/test_git_objects.py::test_a_history_that_takes_too_long_is_refused", "platforms/test_git_objects.py::test_a_pack_that_bursts_costs_this_process_nothing")),
    Wall("nothing of others where git fetches", "platforms/git_fetch.py", 'if entry.kind != "file" or parts[0] not in OURS or parts[:2] == ("objects", "info"):', "if False:", ("platforms/test_git.py",)),
    Wall("settings where git fetches", "platforms/git_fetch.py", "file.write(text)", 'file.write("")', ("platforms/test_git.py",)),
    Wall("protocols by which git fetches", "platforms/git_fetch.py", '"https:ssh:file"', '"https:ssh:file:http:git"', ("platforms/test_git.py",)),
    Wall("cap on a zip's entries, before it is opened", ARCHIVE, "if data.count(ENTRY) > caps.files:", "if False:", DOWNLOADS),
    Wall("cap on a folder's files", "engine/files/reading.py", "inside = entries(folder.joinpath(*path), top, most - count)", "inside = entries(folder.joinpath(*path), top)", ("engine/files/test_reading.py",)),
    Wall("cap on a folder's files in a zip", DOWNLOAD, "if counts[path[:level]] > self.caps.files:", "if False:", DOWNLOADS),
    Wall("cap on a clone's files", GIT, "if len(inside) > MOST_FILES or sum(len(entry.path) for entry in inside) > MOST_TEXT:", "if False:", ("platforms/test_git_objects.py",)),
    Wall("cap on a student's files", "platforms/collect/contents.py", "accepted = ordered[:MAX_FILES]", "accepted = ordered", ("platforms/collect/test_contents.py",)),
    Wall("cap on a student's bytes, before they are read", "platforms/collect/contents.py", "if room < file.size <= Caps.file_bytes:", "if False:", ("platforms/collect/test_contents.py",)),
    Wall("cap on a folder's depth", ARCHIVE, "top.joinpath(*path), caps.depth - len(path)", "top.joinpath(*path), 98", DOWNLOADS),
    Wall("cap on a file that says its size", DOWNLOAD, "if size > max_bytes:", "if False:", DOWNLOADS),
    Wall("cap on a file that does not", DOWNLOAD, "if len(data) > max_bytes:", "if False:", DOWNLOADS),
    Wall("cap on what is read at once", DOWNLOAD, "file.read(max_bytes + 1)", "file.read()", DOWNLOADS),
    Wall("no links in a zip", ARCHIVE, "if kind not in (0, stat.S_IFREG):", "if False:", DOWNLOADS),
    Wall("no links in a folder", ARCHIVE, "elif entry.kind == \"other\":", "elif False:", DOWNLOADS),
    Wall("nothing encrypted", ARCHIVE, "if entry.flag_bits & ENCRYPTED:", "if False:", DOWNLOADS),
    Wall("plain packing", ARCHIVE, "if entry.compress_type not in PLAIN_METHODS:", "if False:", DOWNLOADS),
    Wall("no way out of a download", DOWNLOAD, 'if ".." in names or not names:', "if not names:", DOWNLOADS),
    Wall("no absolute path", ARCHIVE, "if ABSOLUTE.match(entry.orig_filename):", "if False:", DOWNLOADS),
    Wall("no control characters", DOWNLOAD, "    if CONTROL_CHARACTERS.search(path):", "    if False:", DOWNLOADS),
    Wall("length of a name", DOWNLOAD, "if len(names) > caps.depth + 1 or max(map(len, names)) > LONGEST_NAME:", "if False:", DOWNLOADS),
    Wall("one content a name", DOWNLOAD, "if len(same) == 1 or len({file.crc for file in same} - {None}) == 1:", "if True:", DOWNLOADS),
    Wall("damage in a zip", DOWNLOAD, "except UNREADABLE as error:", "except TimeoutError as error:", DOWNLOADS),
    Wall("files of one student", "platforms/collect/contents.py", "if len(data) > room:", "if False:", ("platforms/collect/test_contents.py",)),
    Wall("notebooks in one student's zips", "platforms/collect/choose.py", "packed, unread = read_within(bytes_read, zipped)", "packed, unread = read_within(Counter(), zipped)", CHOSEN),
    Wall("cells of what has no place", "engine/files/csv_text.py", "writerows(map(safe_cell, row) for row in rows)", "writerows(rows)", LISTED),
    Wall("nothing is written through a link", "platforms/collect/graded.py", """if files.kind_of(path, self.into) not in ("folder", None):""", "if False:", FOLDERS),
]  # fmt: skip
