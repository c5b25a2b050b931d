"""Walls of the channel: what arrives from a candidate is plain values and tensors, or an error."""

from tests.walls.wall import Wall

CHANNEL = "engine/candidate/channel.py"
TESTS = ("engine/candidate/test_channel.py",)


def _wall(name: str, text: str, without: str) -> Wall:
    return Wall(f"channel: {name}", CHANNEL, text, without, TESTS)


WALLS = [
    _wall("size of a head", "if head_size > MAX_HEAD or body", "if body"),
    _wall("size of a body", " or body_size > most:", ":"),
    _wall("size of what is sent", "if len(head) > MAX_HEAD or len(body) > MAX_BODY:", "if False:"),
    _wall("number of tensors", "if body and TENSORS_HEAD.unpack_from", "if False and TENSORS_HEAD.unpack_from"),
    _wall("dtypes", "tensor.dtype not in DTYPES or ", ""),
    _wall("dims", " or tensor.dim() > MAX_DIMS:", ":"),
    _wall("no axis of size zero that hides others", "if numbers(tensor.shape) > MAX_BODY:", "if False:"),
    _wall("each tensor once", "return tensors.pop(content)", "return tensors[content]"),
    _wall("no tensor unspoken of", "        if tensors:\n            raise", "        if False:\n            raise"),
    _wall("keys once", "object_pairs_hook=_unique, ", ""),
    _wall("no NaN in JSON", ", parse_constant=_refuse)", ")"),
    _wall("no lone surrogate", "value.encode()  #", "pass  #"),
    _wall("keys of a dict", "if not all(type(key) in KEYS for key, _ in pairs) or", "if"),
    _wall("keys of a dict once", " or len(dict(pairs)) != len(pairs):", ":"),
    _wall("one kind a value", "((kind, content),) = value.items()", "kind, content = next(iter(value.items()))"),
    _wall("floats by name", 'case "float" if content in ("nan", "inf", "-inf"):', 'case "float":'),
    _wall("no other exception", "except Exception as error:  # whatever a hostile", "except TimeoutError as error:  # whatever a hostile"),
    _wall("deadline", "None if seconds == math.inf else seconds", "None"),
]  # fmt: skip
