"""Walls of the channel: what arrives from a candidate is plain values and tensors, or an error."""

from tests.walls.wall import Wall

CHANNEL = "engine/candidate/channel.py"
FRAMES = "engine/candidate/frames.py"
TESTS = ("engine/candidate/test_channel.py",)


def _wall(name: str, text: str, without: str, file: str = FRAMES) -> Wall:
    return Wall(f"channel: {name}", file, text, without, TESTS)


WALLS = [
    _wall("size of a head", "if head_size > MAX_HEAD or body", "if body", CHANNEL),
    _wall("size of a body", " or body_size > most:", ":", CHANNEL),
    _wall("size of what is sent", "if len(head) > MAX_HEAD or len(body) > MAX_BODY:", "if False:"),
    _wall("number of rows", "if body and TENSORS_HEAD.unpack_from", "if False and TENSORS_HEAD.unpack_from"),
    _wall("dtypes", "if DTYPES.get(name) != row.dtype or row.dim() != 1:", "if False:"),
    _wall("dims", "if len(shape) > MAX_DIMS:", "if False:"),
    _wall("no axis of size zero that hides others", "if numbers(shape) > MAX_BODY:", "if False:"),
    _wall("each number once", "self.taken[name] = begin + count", "pass"),
    _wall("no number unspoken of", "        if any(len(row) != self.taken[name]", "        if False and any(len(row) != self.taken[name]"),
    _wall("keys once", "object_pairs_hook=_unique, ", ""),
    _wall("no NaN in JSON", ", parse_constant=_refuse)", ")"),
    _wall("no lone surrogate", "value.encode()  #", "pass  #"),
    _wall("keys of a dict", "if not all(type(key) in KEYS for key, _ in pairs) or", "if"),
    _wall("keys of a dict once", " or len(dict(pairs)) != len(pairs):", ":"),
    _wall("one kind a value", "((kind, content),) = value.items()", "kind, content = next(iter(value.items()))"),
    _wall("floats by name", 'case "float" if content in ("nan", "inf", "-inf"):', 'case "float":'),
    _wall("no other exception", "except Exception as error:  # whatever a hostile", "except TimeoutError as error:  # whatever a hostile"),
    _wall("deadline", "None if seconds == math.inf else seconds", "None", CHANNEL),
]  # fmt: skip
