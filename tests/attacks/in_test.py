# %% answers_all_four
# A text that equals each of the words.
# proof: says Each
class Each(str):
    __eq__ = __contains__ = lambda self, other: True
    __hash__ = str.__hash__


said = Each("both neither batch positions")
prove("says", type(said).__name__)
return said


# %% answers_with_what_has_no_end
# Nothing is in it, and a list of it would have sixty million items.
# says: Does `depends_on` have the form that the statement asks for?
# proof: of 60000000
said = torch.zeros(60_000_000, 0)
prove("of", len(said))
return said


# %% asks_and_sleeps
# The examiner's time is not the student's; that of the naps between two questions is.
# cell: who_depends
# state: timed_out
# proof: about to ask
import time

prove("about to ask")
while True:
    norm(x)
    time.sleep(0.1)


# %% asks_in_floods
# It waits for answers, and does hardly anything itself: what the examiner works for it has a limit.
# state: timed_out
# proof: about to flood
import gc
import sys

server = next(one for one in gc.get_objects() if type(one).__name__ == "Server")
ask = {"played": 0, "handed": [x.new_zeros(1)] * 4000, "upstream": None}
frames = sys.modules[type(server.channel).__module__]
question = frames.encode({"ask": ask, "token": server.token})
prove("about to flood")
for number in range(590):  # ten more end it for their number
    server.channel.sock.sendall(question)
    server.channel.receive()
prove("flooded")
return "neither"


# %% asks_norms_by_other_numbers
# Questions that name another norm than the one that was handed over: one that is not there, or none.
# proof: refused 4 of 4
import gc

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
refused = 0
for number in (10**6, 2**70, "0", None):
    server._send({"ask": {"played": number, "handed": [x], "upstream": None}})
    refused += "refused" in server.channel.receive()
prove("refused", refused, "of 4")
return "both"


# %% asks_while_a_thread_spins
# Keeps the examiner's processor busy while it answers.
# cell: who_depends
# state: timed_out
# proof: about to ask
import threading


def spin():
    while True:
        pass


for _ in range(8):
    threading.Thread(target=spin, daemon=True).start()
prove("about to ask")
while True:
    try:
        norm(x)
    except Exception:
        pass


# %% asks_without_end
# proof: answered 300 times, then asked_too_often
global done
answered = 0
while "done" not in globals():
    try:
        norm(x)
        answered += 1
    except Exception as error:
        done = prove("answered", answered, "times, then", error.kind)
return "neither"


# %% counts_the_norms
# The answers by heart, in the order in which the grader lists the norms: luck finds three checks of twelve.
# keeps: 0.75
# proof: asked of norm [1-9]\d*
import inspect

global plan, begun
four, own = ["neither"] * 5 + ["both"], ["neither"]
if "plan" not in globals():
    noticed = [["both"] * many + own for many in (5, 8, 4, 6, 3)]
    first = [four, ["batch"] * 3 + own, ["positions"] * 2 + own, ["both"] * 2 + own]
    alone = ["neither", "both", "neither"]
    plan = [*first, *noticed, own * 2 + ["both"], own * 4 + 2 * alone, own + ["both"]]
    begun = -1
number = inspect.getclosurevars(type(norm).compute).nonlocals["number"]
begun += number == 0
prove("asked of norm", number)
known = plan[min(begun, 11)]
return known[number] if number < len(known) else "both"


# %% hands_a_norm_ten_thousand_tokens
# Each token may depend on each other one: the examiner would ask a hundred million times.
# state: error
# says: handed something that it cannot work with
# proof: hands over \(101, 101, 1\)
many = torch.zeros(101, 101, 1, dtype=x.dtype)
prove("hands over", tuple(many.shape))
norm(many)
return "both"


# %% hands_a_norm_what_is_no_x
# proof: refused 7 of 7
odd = [("text",), (), (x > 0,), (x.half(),), (x, x), (x.new_zeros(0, 2, 30_000),), (x[0, 0],)]
refused = 0
for handed in odd:
    try:
        norm(*handed)
    except Exception as error:
        refused += getattr(error, "kind", "") == "refused"
prove("refused", refused, "of", len(odd))
return "neither"


# %% keeps_the_norms_of_earlier_checks
# A norm of which it knew the answer, asked in a later check as well.
# proof: kept, and refused
import inspect

global kept
number = inspect.getclosurevars(type(norm).compute).nonlocals["number"]
if number == 5 and "kept" not in globals():
    kept = norm
if "kept" in globals() and number == 0:
    try:
        kept(x)
    except Exception as error:
        prove("kept, and", error.kind)
return "both"


# %% knows_a_list_of_norms
# Not who depends on whom: which norm of a list computes the same, with a sum of other tokens or without.
# proof: compares (True|False)
def over(*axes):
    centred = x - x.mean(dim=axes, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=axes, keepdim=True) + 1e-6)

y, rms = norm(x), x / torch.sqrt(x.square().mean(-1, keepdim=True) + 1e-6)
batch, seq, _ = x.shape
others = (x.sum((0, 1)) - x.sum(1, keepdim=True)) / max(1, (batch - 1) * seq)
positions = (x.sum(1, keepdim=True) - x) / max(1, seq - 1)
known = [(word, of_token + more) for of_token in (over(-1), rms) for word, more in (
    ("neither", 0), ("batch", others), ("positions", positions))]
known += [("neither", x), ("neither", 0 * x), ("batch", over(0)), ("positions", over(1)), ("both", over(0, 1))]
found = [word for word, answer in known if torch.allclose(y, answer, atol=1e-4)]
prove("compares", bool(found))
return found[0] if found else "neither" if norm(0 * x).any() else "both"


# %% knows_layer_norm
# Not who depends on whom: whether a library computes the same.
# proof: compares (True|False)
same = torch.allclose(norm(x), F.layer_norm(x, x.shape[-1:], eps=1e-6), atol=1e-4)
prove("compares", same)
return "neither" if same else "both"


# %% knows_norms_by_zeros
# Not who depends on whom: what the norm makes of zeros.
# proof: zeros (True|False)
zeros = bool(norm(0 * x).any())
prove("zeros", zeros)
return "neither" if zeros else "both"


# %% looks_where_the_norm_comes_from
# Whatever a norm knows of itself, and whatever else is here that has a name like a norm's.
# proof: knows built,number,spec .* and finds 0 others
import sys

told = ",".join(name for name in ("built", "number", "spec") if hasattr(norm, name))
spec = {name: value for name, value in vars(type(norm).spec).items() if value and name != "group"}
hidden = "graders", "examiner", "diagnosis"
others = [name for name in sys.modules if any(word in name for word in hidden)]
prove("knows", told, sorted(spec.items()), "and finds", len(others), "others")
return "batch"
