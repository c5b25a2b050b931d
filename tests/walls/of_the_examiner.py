"""Walls of the examiner: which answers it takes, how many, how large, and what it says of them."""

from tests.levels import DEFAULT
from tests.walls.wall import Wall

EXAMINER = "engine/examiner"
SUPERVISOR = f"{EXAMINER}/supervisor.py"
SCRIPTED = ("engine/examiner/test_hostile_candidates.py",)
CLOCKED = ("engine/examiner/test_supervisor.py",)
CLOCK = f"{EXAMINER}/clock.py"
PROCESS = "engine/limits/process.py"
CLOCKS = ("engine/examiner/test_clock.py",)
BOUNDS = f"{EXAMINER}/bounds.py"
KNOWN = "engine/candidate/known.py"
SIZES = ("engine/examiner/test_bounds.py",)
PROXY_CODE = f"{EXAMINER}/proxy.py"
ASKING = f"{EXAMINER}/asking.py"
OUTPUTS = ("engine/examiner/test_outputs.py",)
LAYER = ("engine/examiner/test_layer.py",)
MESSAGES = ("engine/examiner/test_messages.py",)
COMPARING = ("engine/examiner/test_attempt.py",)
CELLS = ("engine/candidate/test_cells.py",)
PROXY = "engine/examiner/test_proxy.py"
PARTS = (f"{PROXY}::test_a_part_is_handed_what_a_question_can_ask_for_and_no_more",)
PLAYED = (
    f"{PROXY}::test_a_played_function_is_handed_what_a_question_can_ask_for_and_no_more",
    f"{PROXY}::test_a_played_function_of_an_earlier_check_is_gone",
)
ANSWERED = (
    f"{PROXY}::test_no_grader_goes_through_a_list_without_end",
    f"{PROXY}::test_a_value_is_what_it_was_the_first_time",
    f"{PROXY}::test_what_is_no_plain_value_is_a_fault_of_the_students",
)
ATTACKED = (
    "attacks/test_attacks.py::test_an_attack_proves_that_it_ran_gains_nothing_and_harms_nobody"
)
LAYER_NORM = "graders/layer_norm"
FORGED = (f"{PROXY}::test_a_forged_answer_is_nonsense_and_no_fault_of_ours",)


def _attack(name: str) -> tuple[str, ...]:
    """Return the test of an attack, behind the walls that this host chooses."""
    return (f"{ATTACKED}[{DEFAULT}-{name}]",)


WALLS = [
    Wall("token of a question", SUPERVISOR, 'if answer.get("token") != token:', "if False:", SCRIPTED),
    Wall("token that nobody guesses", SUPERVISOR, "secrets.token_hex(8)", '"0" * 16', SCRIPTED),
    Wall("cap on plays of functions", SUPERVISOR, "if number < MAX_COMPUTED:", "if True:", SCRIPTED),
    Wall("end of a conversation", SUPERVISOR, "for number in range(2 * MAX_COMPUTED):", "for number in range(10**9):", SCRIPTED),
    Wall("cap on candidates", SUPERVISOR, "if self._started >= MAX_CANDIDATES:", "if False:", SCRIPTED),
    Wall("cap on an answer", SUPERVISOR, "channel.receive(deadline, max_bytes)", "channel.receive(deadline)", SCRIPTED),
    Wall("room for outputs", SUPERVISOR, "self.room -= sum(map(size, outputs))", "pass", SCRIPTED),
    Wall("form of a cell's answer", SUPERVISOR, "except (ChannelError, LookupError, TypeError):", "except TimeoutError:", SCRIPTED),
    Wall("faults of what examiners compute", SUPERVISOR, "except Exception as error:  # the student's", "except TimeoutError as error:  # the student's", SCRIPTED),
    Wall("deadline of a question", CLOCK, "min(self.limits.request_seconds, self.for_exercise, self.left)", "min(self.for_exercise, self.left)", CLOCKS),
    Wall("deadline of a cell", CLOCK, "min(self.limits.cell_seconds, max(self.for_cells, minimum), self.left)", "self.left", CLOCKED),
    Wall("deadline of all", SUPERVISOR, "if self.clock.is_up:", "if False:", CLOCKED),
    Wall("slow cells are left out", SUPERVISOR, "if self.clock.for_cells <= 0 and self._process is None:", "if False:", CLOCKED),
    Wall("time of an exercise", CLOCK, "min(self.limits.request_seconds, self.for_exercise, self.left)", "min(self.limits.request_seconds, self.left)", CLOCKED),
    Wall("time of all cells", CLOCK, "self.for_cells -= seconds", "pass", CLOCKS),
    Wall("time of all, of cells", CLOCK, "max(self.for_cells, minimum), self.left)", "max(self.for_cells, minimum))", CLOCKS),
    Wall("time of all, of questions", CLOCK, "self.for_exercise, self.left)", "self.for_exercise)", CLOCKS),
    Wall("time of who sleeps", PROCESS, "self.work - begin.work, charged)", "self.work - begin.work)", CLOCKS),
    Wall("time of who keeps itself waiting", PROCESS, "max(self.cpu - begin.cpu, ", "max(", CLOCKS),
    Wall("time that the examiner works", PROCESS, "self.work - begin.work, charged)", "charged)", CLOCKS),
    Wall("end of who gives way", CLOCK, "if usage.gave_way(self.begin):", "if False:", CLOCKS),
    Wall("end of the diagnosis", "mistakes/budget.py", "if time.thread_time() >= self.end:", "if False:", ("mistakes/test_budget.py",)),
    Wall("memory ends a candidate", SUPERVISOR, 'if fault.kind == "out_of_memory":', "if False:", SCRIPTED),
    Wall("MIME types, on the candidate's side", "engine/candidate/outputs.py", 'for mime in ("image/png", "image/jpeg"):', "for mime in bundle.keys() - {'text/plain'}:", CELLS),
    Wall("MIME types, on the examiner's side", f"{EXAMINER}/outputs.py", " if data.keys() <= MIMES:", ":", OUTPUTS),
    Wall("form of displays", f"{EXAMINER}/outputs.py", "if all(isinstance(value, bytes) for value in data.values()):", "if True:", OUTPUTS),
    Wall("number of outputs", f"{EXAMINER}/outputs.py", " or len(received) > MAX_OUTPUTS:", ":", OUTPUTS),
    Wall("size of outputs", f"{EXAMINER}/outputs.py", "if room < 0:", "if False:", OUTPUTS),
    Wall("text of a cell", "engine/candidate/outputs.py", "if len(text) > room:", "if False:", CELLS),
    Wall("size of a picture", "engine/candidate/outputs.py", " and len(picture) <= MAX_PICTURE:", ":", CELLS),
    Wall("displays of a cell", "engine/candidate/outputs.py", ' and sum(output["kind"] == "display" for output in self.outputs) < MAX_DISPLAYS:', ":", CELLS),
    Wall("list of exception names", f"{EXAMINER}/faults.py", "isinstance(kind, str) and kind in EXCEPTIONS else", "isinstance(kind, str) else", MESSAGES),
    Wall("list of faults", f"{EXAMINER}/faults.py", 'if report["kind"] not in KINDS:', "if False:", MESSAGES),
    Wall("place is a name and a number", f"{EXAMINER}/faults.py", "line=line if type(line) is int else None,", "line=line,", MESSAGES),
    Wall("line of the student's own source", f"{EXAMINER}/faults.py", "if fault.cell is None or fault.cell not in sources or", "if fault.cell is None or", MESSAGES),
    Wall("names of the student's own source", f"{EXAMINER}/templates.py", "if all(part in PUBLIC or part in allowed for part in", "if all(part or part in allowed for part in", MESSAGES),
    Wall("length of a message", f"{EXAMINER}/faults.py", "text[:MAX_TEXT] if isinstance(text, str)", "text if isinstance(text, str)", MESSAGES),
    Wall("arguments unchanged", f"{EXAMINER}/reading.py", "    if not same:", "    if False:", LAYER),
    Wall("arguments unchanged inside of lists", f"{EXAMINER}/reading.py", "return alike and all(map(_same, arg, original))", "return alike", LAYER),
    Wall("an answer for each call", f"{EXAMINER}/reading.py", " or len(answers) != count:", ":", LAYER),
    Wall("isfinite of an answer", f"{EXAMINER}/comparing.py", "    if not bool(torch.isfinite(answer).all()):\n        return math.inf\n    if not other", "    if not other", COMPARING, also=((f"{EXAMINER}/comparing.py", "return math.inf if math.isnan(far) else far", "return far"),)),
    Wall("isfinite of a size", f"{EXAMINER}/comparing.py", "    if not bool(torch.isfinite(answer).all()):\n        return math.inf\n    return answer.abs", "    return answer.abs", COMPARING),
    Wall("zeros guard", f"{EXAMINER}/comparing.py", "if expected.is_floating_point() and not expected.abs().mean() > 100 * TOLERANCE:", "if False:", COMPARING),
    Wall("shape of an answer", f"{EXAMINER}/comparing.py", "answer.shape != other.shape or ", "", COMPARING),
    Wall("dtype of an answer", f"{EXAMINER}/comparing.py", " or answer.dtype != other.dtype:", ":", COMPARING),
    Wall("axis of what a part is handed", KNOWN, "if longest > MAX_AXIS or math", "if math", SIZES),
    Wall("numbers that a part is handed", KNOWN, " or math.prod(broadcast) > MAX_NUMBERS", "", SIZES),
    Wall("scores of what a part is handed", KNOWN, " or rows * longest > MAX_SCORES:", ":", SIZES),
    Wall("a zero counts as one", "engine/candidate/tensors.py", "math.prod(max(size, 1) for size in shape)", "math.prod(shape)", SIZES),
    Wall("a zero beside other sizes counts as one", KNOWN, "[max(1, *sizes) for sizes in axes]", "[min(sizes) for sizes in axes]", SIZES),
    Wall("arguments of a constructor", BOUNDS, "if len(built) > MAX_ARGUMENTS or any", "if any", SIZES),
    Wall("texts of a constructor", BOUNDS, " or any(len(text) > MAX_TEXT for text in texts):", ":", SIZES),
    Wall("numbers that a check hands over", ASKING, "if self.handed > MAX_IN_A_CHECK:", "if False:", SIZES),
    Wall("numbers of a question are looked at", ASKING, "self._count(call.kept)\n", "pass\n", SIZES),
    Wall("what a played function is handed", ASKING, "self._count(handed)\n", "pass\n", PLAYED),
    Wall("what a stand-in is handed", KNOWN, "            check_handed(handed)\n", "", PARTS),
    Wall("numbers that a question hands over", KNOWN, "if self.numbers > MAX_IN_A_QUESTION:", "if False:", SIZES),
    Wall("answers of stand-ins in a question", KNOWN, "if self.computed > MAX_COMPUTED:", "if False:", (f"{PROXY}::test_stand_ins_compute_only_so_often_in_one_question",)),
    Wall("form of what stand-ins were handed", f"{EXAMINER}/stand_in.py", 'raise ValueError("no call of a stand-in")', "return StandInCall(Part('', 0, 0, {}), None)", (f"{PROXY}::test_what_no_stand_in_says_is_nonsense",)),
    Wall("what is sent to candidates", f"{EXAMINER}/stand_in.py", "if not _imported(text) <= IMPORTED:", "if False:", (f"{PROXY}::test_only_a_function_that_may_be_read_is_sent_to_candidates",)),
    Wall("which function is played", PROXY_CODE, "proxy.several, proxy.values = self.several, self.values", "proxy.several, proxy.values, proxy.played = self.several, self.values, self.played", PLAYED),
    Wall("numbers of a function's answer or a value", ASKING, 'if operation in ("function", "value"):', "if False:", ANSWERED),
    Wall("a zero in an answer counts as one", BOUNDS, "return numbers(answer.shape)", "return answer.numel()", ANSWERED),
    Wall("a value is asked for once", PROXY_CODE, "if name not in self.values:", "if True:", ANSWERED),
    Wall("a value is a grader's own copy", PROXY_CODE, "copy.deepcopy(self.values[name])", "self.values[name]", ANSWERED),
    Wall("no half of a character in a value", "engine/candidate/plain_values.py", "text.encode()  #", "pass  #", ANSWERED),
    Wall("an integer has an end", "engine/candidate/plain_values.py", "value.bit_length() > MAX_BITS", "False", _attack("in_block/numbers_without_end")),
    Wall("blocks in random order", "graders/modern_block/conftest.py", "in torch.randperm(len(blocks)).tolist()", "in range(len(blocks))", _attack("in_block/counts_the_blocks")),
    Wall("a block of another kind beside", "graders/modern_block/test_find_the_block.py", "assert not values_agree(of_another, kind), OF_ANOTHER", "pass", _attack("in_block/says_pre_norm_always")),
    Wall("tokens that a norm is handed", f"{LAYER_NORM}/played.py", "if x.size(0) * x.size(1) > MOST_TOKENS:", "if False:", ("course/layer_norm/test_played.py",)),
    Wall("norms in random order", f"{LAYER_NORM}/conftest.py", "in torch.randperm(len(norms)).tolist()", "in range(len(norms))", _attack("in_test/counts_the_norms")),
    Wall("a norm of single tokens beside others", f"{LAYER_NORM}/conftest.py", "assert not own, OF_TOKENS", "assert True", _attack("in_test/knows_layer_norm")),
    Wall("numbers that differ, of which others follow", f"{LAYER_NORM}/calculations.py", "return bool((usual / factor < spread) & (spread < factor * usual))", "return True", _attack("in_value/follows_from_zeros")),
    Wall("features that differ, of which a norm follows", f"{LAYER_NORM}/test_twelve_tokens.py", "return own.shape != right.shape or bool((own.std(-1) > 0.01 * right.std(-1)).all())", "return True", _attack("in_value/follows_from_fives")),
    Wall("a gamma of which beta follows", f"{LAYER_NORM}/test_recover.py", " or not bool((gamma.abs() > 0.01).all()):", ":", _attack("in_value/draws_beta_alone")),
    Wall("room of what is recorded", f"{EXAMINER}/attempt.py", "answer if self.room >= 0 else OmittedAnswer()", "answer", ("engine/examiner/test_attempt.py",)),
    Wall("memory of the examiner", "engine/limits/memory.py", "resource.setrlimit(resource.RLIMIT_DATA, (min([allocated.data + room, *finite]), hard))", "pass", ("engine/limits/test_memory.py",)),
    Wall("memory of all candidates", "engine/limits/memory.py", "free // (Limits.memory + EXAMINER_MEMORY)", "1000", ("engine/limits/test_memory.py",)),
    Wall("length of an output's text", f"{EXAMINER}/outputs.py", '"text": text[:MAX_TEXT]}\n        case', '"text": text}\n        case', OUTPUTS),
    Wall("what a part is handed", KNOWN, "if not isinstance(first, torch.Tensor) or first.dtype == torch.bool:", "if False:", PARTS),
    Wall("number of descriptions", f"{EXAMINER}/descriptions.py", " or len(described) > MAX_ITEMS:", ":", FORGED),
    Wall("size of a parameter", f"{EXAMINER}/descriptions.py", "0 <= n < MAX_SIZE", "True", FORGED),
    Wall("form of descriptions", f"{EXAMINER}/descriptions.py", "except Exception as error:", "except TimeoutError as error:", FORGED),
    Wall("form of gradients", f"{EXAMINER}/reading.py", "if not all(_is_gradient(item) for item in (*arguments, *parameters.values())):", "if False:", FORGED),
]  # fmt: skip
