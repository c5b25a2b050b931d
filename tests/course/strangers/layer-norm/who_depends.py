# %% wrong_a064
#: The other tokens are only shuffled, which a mean over the batch or the sentence does not notice.
#: named: shuffled
def depends_on(norm, x: Tensor) -> str:
    batch, seq, _ = x.shape
    with torch.no_grad():
        before = norm(x.clone())
        on_batch = on_positions = False
        for b in range(batch):
            for i in range(seq):
                # 1. exchange the other sentences
                others = [c for c in range(batch) if c != b]
                if others:
                    y = x.clone()
                    y[others] = x[others[::-1]].flip(1)
                    on_batch |= not torch.allclose(norm(y)[b, i], before[b, i], atol=1e-4)
                # 2. exchange the other words of this sentence
                rest = [j for j in range(seq) if j != i]
                if rest:
                    y = x.clone()
                    y[b, rest] = x[b, rest[::-1]]
                    on_positions |= not torch.allclose(norm(y)[b, i], before[b, i], atol=1e-4)
    return {(True, True): "both", (True, False): "batch", (False, True): "positions"}.get(
        (on_batch, on_positions), "neither")


# %% wrong_a065
#: Outputs are compared with torch.equal, so rounding, which is up to 1e-4, counts as dependence.
#: named: compared_exactly
def depends_on(norm, x: Tensor) -> str:
    batch, seq, d_model = x.shape
    y = norm(x)
    found = set()

    for _ in range(5):
        for b in range(batch):
            # everything but sentence b is drawn anew
            other = 10 * torch.randn_like(x)
            other[b] = x[b]
            if not torch.equal(norm(other)[b], y[b]):
                found.add("batch")

            for i in range(seq):
                other = x.clone()
                other[b] = 10 * torch.randn_like(x[b])
                other[b, i] = x[b, i]
                if not torch.equal(norm(other)[b, i], y[b, i]):
                    found.add("positions")

    if len(found) == 2:
        return "both"
    return found.pop() if found else "neither"


# %% wrong_a066
#: The new tokens are written into the given x itself, which is different afterwards.
#: named: -
def depends_on(norm, x: Tensor) -> str:
    batch, seq, d_model = x.shape
    batch_found = False
    pos_found = False
    with torch.no_grad():
        for b in range(batch):
            for i in range(seq):
                for scale in [1.0, 10.0, 1.0, 10.0, 50.0]:
                    # 1) change all other sentences
                    before = norm(x)[b, i].clone()
                    for c in range(batch):
                        if c != b:
                            x[c] = scale * torch.randn(seq, d_model)
                    between = norm(x)[b, i].clone()
                    if (between - before).abs().max() > 1e-4:
                        batch_found = True

                    # 2) change all other words of my sentence
                    for j in range(seq):
                        if j != i:
                            x[b, j] = scale * torch.randn(d_model)
                    after = norm(x)[b, i]
                    if (after - between).abs().max() > 1e-4:
                        pos_found = True
    if batch_found and pos_found:
        return "both"
    elif batch_found:
        return "batch"
    elif pos_found:
        return "positions"
    else:
        return "neither"


# %% wrong_a067
#: Only the first token of the first sentence is watched, so a norm in which only other tokens
#: depend on their neighbours is called independent.
#: named: one_token_is_watched
def depends_on(norm, x: Tensor) -> str:
    with torch.no_grad():
        y0 = norm(x)[0, 0]
        pos, bat = False, False
        for s in (0.1, 1, 10, 100):
            for _ in range(10):
                a = s * torch.randn_like(x); a[0] = x[0]                    # other sentences
                bat |= bool((norm(a)[0, 0] - y0).abs().max() > 1e-4)
                c = x.clone(); c[0, 1:] = s * torch.randn_like(x[0, 1:])    # other positions
                pos |= bool((norm(c)[0, 0] - y0).abs().max() > 1e-4)
    return ["neither", "positions", "batch", "both"][2 * bat + pos]


# %% right_a068
def depends_on(norm, x: Tensor) -> str:
    original = x.detach().clone()
    sentences, length = original.shape[:2]

    @torch.no_grad()
    def ask(t):
        return norm(t.clone()).clone()

    reference = ask(original)
    noise = torch.Generator().manual_seed(20)

    def new(scale, shift):
        r = torch.randn(original.shape, generator=noise, dtype=torch.float32).to(original.dtype)
        return scale * r + shift

    kinds = [(1.0, 0.0), (30.0, 0.0), (1.0, 20.0), (1.0, -20.0), (5.0, 1.0), (0.1, 0.0)] * 2

    def batch_trials():
        for b in range(sentences):
            for scale, shift in kinds:
                t = new(scale, shift)
                t[b] = original[b]
                yield (ask(t)[b] - reference[b]).abs().max().item()

    def position_trials():
        for i in range(length):          # position i of all sentences at once would mix both: one by one
            for b in range(sentences):
                for scale, shift in kinds:
                    t = original.clone()
                    t[b] = new(scale, shift)[b]
                    t[b, i] = original[b, i]
                    yield (ask(t)[b, i] - reference[b, i]).abs().max().item()

    moved = lambda trials: any(not difference <= 1e-4 for difference in trials)
    answer = moved(batch_trials()), moved(position_trials())
    return {(0, 0): "neither", (1, 0): "batch", (0, 1): "positions", (1, 1): "both"}[answer]


# %% wrong_b070
#: The others are only shuffled, not changed: what is symmetric in the tokens, as means and
#: variances are, does not move, and batch norm counts as neither.
#: named: shuffled
def depends_on(norm, x: Tensor) -> str:
    batch, seq, _ = x.shape
    before = norm(x)
    other_sentences = other_tokens = False

    for b in range(batch):
        rest = [c for c in range(batch) if c != b]
        shuffled = x.clone()
        shuffled[rest] = x[rest].flatten(0, 1)[torch.randperm(len(rest) * seq)].reshape(len(rest), seq, x.shape[-1])
        other_sentences |= not torch.allclose(norm(shuffled)[b], before[b], atol=1e-4)

        for i in range(seq):
            rest = [j for j in range(seq) if j != i]
            shuffled = x.clone()
            shuffled[b, rest] = x[b, rest][torch.randperm(len(rest))]
            other_tokens |= not torch.allclose(norm(shuffled)[b, i], before[b, i], atol=1e-4)

    if other_sentences and other_tokens:
        return "both"
    if other_sentences:
        return "batch"
    return "positions" if other_tokens else "neither"


# %% wrong_b071
#: To test positions it draws all other tokens anew, those of other sentences as well: a norm that
#: depends on the batch alone counts as both.
#: named: other_sentences_count_as_positions
def depends_on(norm, x: Tensor) -> str:
    """On what, besides its own features, a token of `norm(x)` depends."""
    found = set()
    y = norm(x.clone())
    for b in range(x.shape[0]):
        for trial in range(3):
            changed = 3 * torch.randn_like(x) + 1
            changed[b] = x[b]                                  # only this sentence stays
            if (norm(changed)[b] - y[b]).abs().max() > 1e-4:
                found.add("batch")
        for i in range(x.shape[1]):
            for trial in range(3):
                changed = 3 * torch.randn_like(x) + 1
                changed[b, i] = x[b, i]                        # only this token stays
                if (norm(changed)[b, i] - y[b, i]).abs().max() > 1e-4:
                    found.add("positions")

    if len(found) == 2:
        return "both"
    return found.pop() if found else "neither"


# %% right_b072
def depends_on(norm, x: Tensor) -> str:
    batch, seq, d = x.shape
    generator = torch.Generator().manual_seed(17)

    def draw(size):
        return (size * torch.randn(x.shape, generator=generator) + size * torch.randn(1, generator=generator)).to(x)

    def moves(start, keep, change, size):
        """does the output at `keep` move when the tokens in the mask `change` are drawn anew?"""
        if not change.any():
            return False
        other = torch.where(change[..., None], draw(size), start)
        difference = norm(other)[keep] - norm(start)[keep]
        return bool((difference.abs() > 1e-4).any())

    answer = {"batch": False, "positions": False}
    with torch.no_grad():
        for start, size in [(x.clone(), 1.0), (x.clone(), 30.0), (draw(2.0), 5.0)]:
            for b in range(batch):
                here = torch.zeros(batch, seq, dtype=torch.bool)
                here[b] = True
                answer["batch"] |= not answer["batch"] and moves(start, b, ~here, size)
                for i in range(seq):
                    if answer["positions"]:
                        break
                    change = here.clone()
                    change[b, i] = False
                    answer["positions"] |= moves(start, (b, i), change, size)

    match answer["batch"], answer["positions"]:
        case True, True:
            return "both"
        case False, False:
            return "neither"
        case is_batch, _:
            return "batch" if is_batch else "positions"
