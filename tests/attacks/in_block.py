# %% answers_all_four_kinds
# A text that equals each of the words.
# cell: find_the_block
# proof: says Each
class Each(str):
    __eq__ = __contains__ = lambda self, other: True
    __hash__ = str.__hash__


def kind_of_block(block, x):
    said = Each("pre-norm post-norm no residual")
    prove("says", type(said).__name__)
    return said


# %% asks_the_examiner_for_a_whole_block
# It asks the examiner what the whole block would return, as if that were played.
# cell: modern_block
# proof: refused [1-9]\d* of \d+
import gc


class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm = RMSNorm(d_model)

    def forward(self, x, attention_mask=None):
        refused = asked = 0
        for server in gc.get_objects():
            if type(server).__name__ != "Server":
                continue
            for number in (0, 1, "ModernBlock", None):
                server._send({"ask": {"played": number, "handed": [x], "upstream": None}})
                asked += 1
                refused += "refused" in server.channel.receive()
        prove("refused", refused, "of", asked)
        return x


# %% computes_what_its_stand_ins_do
# It reads what its stand-ins compute, with their weights, and answers with that: padding is absent there.
# cell: modern_block
# keeps: 0.5
# proof: reads feed_forward norm
import inspect


def read(stand_in):
    return inspect.getclosurevars(type(stand_in).compute).nonlocals


class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm, self.feed_forward = RMSNorm(d_model), SwiGLU(d_model, d_ff)

    def forward(self, x, attention_mask=None):
        if not hasattr(self.norm, "compute"):
            return x
        norm, feed_forward, names = read(self.norm), read(self.feed_forward), {}
        exec(norm["text"], names)
        prove("reads", feed_forward["name"], norm["name"])
        part = names["SimpleNamespace"](place=0, built={})
        mixed = names["block"](part, names["norm"](part, x, **norm["given"]), attention_mask, layers=1)
        return names["feed_forward"](part, mixed, **feed_forward["given"])


# %% says_what_its_stand_ins_were_handed
# Calls of stand-ins that were never made, with every answer: as good as to call them for nothing.
# cell: modern_stack
# keeps: 0.75
# proof: says that 3 were handed
import gc


class ModernStack(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.blocks = nn.ModuleList(ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers))

    def forward(self, x, attention_mask=None):
        for server in gc.get_objects():
            if type(server).__name__ == "Server":
                part = "ModernBlock", 7, 0, {"d_model": x.size(-1)}
                calls = [(part, [x.detach(), attention_mask])] * 3
                server._handed = lambda: {"handed": calls}
                prove("says that", len(calls), "were handed")
        return x


# %% counts_the_blocks
# The kinds by heart, in the order in which the grader lists them: they are asked about in another one.
# cell: find_the_block
# proof: asked of block [1-9]\d*
import inspect


def plan_of(kind, other, many):
    return [kind] * many + [other] + [kind] * 2 + [other, kind, other]


pre, post, normed, none = "pre-norm", "post-norm", "residual from the normed input", "no residual"
plans = [plan_of(pre, none, 5), plan_of(post, none, 5), plan_of(normed, none, 6)]
plans += [plan_of(none, pre, 5), plan_of(pre, none, 2)]
begun = -1


def kind_of_block(block, x):
    global begun
    number = inspect.getclosurevars(type(block).compute).nonlocals["number"]
    begun += number == 0
    prove("asked of block", number)
    return plans[begun % 5][number]


# %% gradients_with_every_number
# Numbers that equal whatever they are compared with.
# cell: gradient_by_layer
# proof: answers Equal
class Equal(torch.Tensor):
    __eq__ = __le__ = __lt__ = lambda self, other: True
    __hash__ = torch.Tensor.__hash__


def gradient_by_layer(blocks, x, upstream):
    answer = torch.zeros(len(blocks), dtype=x.dtype).as_subclass(Equal)
    prove("answers", type(answer).__name__)
    return answer


# %% gradients_of_what_is_played_with_nan
# Asks a played block with numbers that are none, and without end. It does answer one tensor.
# cell: gradient_by_layer
# keeps: 0.25
# proof: answered or refused
def gradient_by_layer(blocks, x, upstream):
    for block in list(blocks):
        for _ in range(301):
            try:
                block(x * float("nan"))
            except Exception:
                break
    prove("answered or refused")
    return x.new_full((len(blocks),), float("nan"))


# %% learns_the_answer_by_a_hook
# A hook on the layer that was handed over hears what it is asked later, and says that instead.
# cell: fold_centering
# keeps: 0
# proof: hooked
def fold_centering(linear):
    made = nn.Linear(linear.in_features, linear.out_features, linear.bias is not None)
    made.register_forward_hook(lambda module, args, answer: linear(*args))
    prove("hooked")
    return made


# %% numbers_that_are_any
# An int that equals every number.
# cell: count_parameters
# proof: holds Any
class Any(int):
    __eq__ = lambda self, other: True
    __hash__ = int.__hash__


keys = "attention", "feed forward", "norms", "biases", "embedding", "d_ff"
parameters = {model: dict.fromkeys(keys, Any(1)) for model in ("2017", "today")}
prove("holds", type(parameters["today"]["d_ff"]).__name__)


# %% numbers_without_end
# cell: count_parameters
# says: `parameters` holds something other than numbers
# proof: holds \d+ bits
many = 1 << 10_000_000
prove("holds", many.bit_length(), "bits")
parameters = {model: {"attention": many, "norms": -many} for model in ("2017", "today")}


# %% rms_norm_of_another_name
# The library's own, found by a name that no text of the cell has.
# cell: rms_norm
# proof: found a norm of torch's
# keeps: 4.75
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        found = getattr(torch.nn.functional, "".join(("rms", "_", "norm")))
        prove("found a norm of torch's")
        wide = x if x.dtype == torch.float64 else x.float()
        return found(wide, self.gamma.shape, self.gamma.to(wide), self.eps).to(x.dtype)


# %% says_pre_norm_always
# cell: find_the_block
# proof: says it
def kind_of_block(block, x):
    prove("says it")
    return "pre-norm"
