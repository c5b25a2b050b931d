"""Train the encoder of a notebook to fill gaps in Python code: makes python_gaps.safetensors.

    python train_python_gaps.py encoder-layer.ipynb [--steps 16000] [--out python_gaps.safetensors]

Masked language modelling as in BERT (Devlin et al. 2019, section 3.1), without its sentence pairs: in
windows of Python's own library and of torch words are hidden, and the encoder learns to say which.
Windows are short at first: among 24 tokens it finds out within minutes where to look, among 96 it does
not in an hour. Some modules are kept aside; how often it is right in them is printed on the way.
"""

import argparse
import json
import math
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import torch
from encoder_layer_checks import (
    LINES,
    LONGEST,
    MARKS,
    SIZES,
    SLOTS,
    WEIGHTS,
    Token,
    code_tokens,
    number_of,
    word_scores,
)
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional as F

WORDS, TOKENS, RATE, SEED = 1024, 3072, 1.5e-3, 1  # tokens in a batch
SHORT, SHORT_FOR = 24, 0.6  # tokens in a window, for this share of the steps
UNSEEN = "textwrap bisect queue sched statistics heapq calendar fractions".split()
LEFT_OUT = set("test tests idlelib encodings lib2to3 pydoc_data site-packages turtledemo".split())
OF_TORCH = "nn optim distributions utils/data autograd ao/nn".split()
FREQUENT = [*LINES, *",():.=[]", "self"]  # hidden less often than other words


class Text(NamedTuple):
    """Code as numbers: of the vocabulary, or below zero for a name that is not in it."""

    tokens: Tensor  # (length,)
    begins: Tensor  # (lines,): where a line begins


def files() -> Iterator[tuple[Path, bool]]:
    """The files to learn from, and whether each is kept aside."""
    library, package = Path(sysconfig.get_path("stdlib")), Path(torch.__file__).parent
    for file in sorted(library.rglob("*.py")):
        if not LEFT_OUT.intersection(file.relative_to(library).parts):
            yield file, file.parent == library and file.stem in UNSEEN
    for part in OF_TORCH:
        yield from ((file, False) for file in sorted((package / part).rglob("*.py")))


def read_texts() -> tuple[Text, Text, list[str]]:
    """Return what is learned from, what is kept aside, and the vocabulary."""
    read = [
        (code_tokens(file.read_text(encoding="utf-8", errors="replace")), aside)
        for file, aside in files()
    ]
    counts: Counter[str] = Counter()
    for tokens, aside in read:
        for word, count in Counter(token.word for token in tokens).items():
            counts[word] += 0 if aside else min(count, 20)  # no file has a language of its own
    words = [word for word, _ in counts.most_common() if word not in MARKS]
    vocabulary = [*MARKS, *words[: WORDS - len(MARKS)]]
    numbers = {word: number for number, word in enumerate(vocabulary)}

    def text_of(aside: bool) -> Text:
        parts = [encoded(tokens, numbers) for tokens, its in read if its is aside]
        joined = torch.tensor([number for part in parts for number in part])
        ends = torch.isin(joined, torch.tensor([numbers[word] for word in LINES]))
        begins = ends.nonzero()[:, 0] + 1
        return Text(joined, begins[begins < len(joined) - LONGEST])

    return text_of(False), text_of(True), vocabulary


def encoded(tokens: list[Token], numbers: dict[str, int]) -> Iterator[int]:
    """The numbers of a file's tokens; the same unknown name has the same number below zero."""
    names: dict[str, int] = {}
    for token in tokens:
        number = number_of(token, numbers)
        yield names.setdefault(token.word, -1 - len(names)) if number is None else number


class Batches:
    """Windows of code, and what is hidden in them."""

    def __init__(self, text: Text, vocabulary: list[str], seed: int):
        self.longest = LONGEST
        self.text, self.random = text, torch.Generator().manual_seed(seed)
        self.numbers = {word: number for number, word in enumerate(vocabulary)}
        self.frequent = torch.tensor([word in FREQUENT for word in vocabulary])

    def windows(self) -> Tensor:
        """(batch, seq): unknown names get slots in random order, so that only their places tell."""
        begins = self.text.begins[
            torch.randint(len(self.text.begins), (TOKENS // self.longest, 1), generator=self.random)
        ]
        windows = self.text.tokens[begins + torch.arange(self.longest)]
        for window in windows:
            names, places = window[window < 0].unique(return_inverse=True)
            order = torch.randperm(max(len(names), len(SLOTS)), generator=self.random)[: len(names)]
            slots = order + self.numbers[SLOTS[0]]
            slots[order >= len(SLOTS)] = self.numbers["<other>"]
            window[window < 0] = slots[places]
        return windows

    def draw(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """What is read, what stood there, which of it is hidden, and the mask: each (batch, seq)."""
        words = self.windows()
        share = torch.empty(len(words), 1).uniform_(0.05, 0.3, generator=self.random)
        chance = share * torch.where(self.frequent[words], 0.4, 1.3)
        lengths = torch.randint(
            self.longest // 4, self.longest + 1, (len(words), 1), generator=self.random
        )
        mask = torch.arange(self.longest) < lengths
        hidden = (torch.rand(words.shape, generator=self.random) < chance) & mask
        hidden &= words != self.numbers["<other>"]
        read = words.masked_fill(hidden, self.numbers["<gap>"])
        return read.masked_fill(~mask, self.numbers["<pad>"]), words, hidden, mask


def encoder_of(notebook: Path, vocab_size: int) -> nn.Module:
    """The `Encoder` that a notebook defines, with small weights to begin with."""
    space: dict[str, Any] = {"math": math, "torch": torch, "nn": nn, "F": F, "Tensor": Tensor}
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code":
            exec(cell.source, space)
    encoder = space["Encoder"](vocab_size, *SIZES.values(), 0.0)
    for name, weight in encoder.named_parameters():
        if weight.dim() == 2:
            first = SIZES["d_model"] ** -0.5 if name == "embedding.weight" else 0.05
            nn.init.normal_(weight, std=first)
    return encoder


def scores_of(encoder: nn.Module, bias: Tensor, batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """The scores of all words at the hidden places, (hidden, vocab_size), and which word is right."""
    read, words, hidden, mask = batch
    output = encoder(read, mask)[hidden]  # (hidden, d_model)
    return word_scores(encoder, bias, output), words[hidden]


def share_right(encoder: nn.Module, bias: Tensor, text: Text, vocabulary: list[str]) -> float:
    """How often the likeliest word is the one that stood there, frequent ones left out."""
    batches, right = Batches(text, vocabulary, 7), []
    with torch.no_grad():
        for _ in range(20):
            scores, words = scores_of(encoder, bias, batches.draw())
            right.append((scores.argmax(-1) == words)[~batches.frequent[words]])
    return torch.cat(right).float().mean().item()


def train(
    encoder: nn.Module, bias: Tensor, texts: list[Text], vocabulary: list[str], steps: int
) -> None:
    """A rate that rises for 800 steps and then follows a cosine down to nothing."""
    weights = [*encoder.parameters(), bias]
    optimizer = torch.optim.AdamW(weights, betas=(0.9, 0.98))
    batches = Batches(texts[0], vocabulary, SEED)
    for step in range(1, steps + 1):
        batches.longest = SHORT if step < SHORT_FOR * steps else LONGEST
        optimizer.param_groups[0]["lr"] = (
            RATE * min(1, step / 800) * (1 + math.cos(math.pi * step / steps)) / 2
        )
        with torch.autocast("cpu", torch.bfloat16):
            scores, words = scores_of(encoder, bias, batches.draw())
        loss = F.cross_entropy(scores.float(), words)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        if step % 500 == 0:
            right = share_right(encoder, bias, texts[1], vocabulary)
            minutes = time.process_time() / 60
            print(
                f"{minutes:.0f} min, step {step}: loss {loss:.2f}, {right:.1%} right in unseen code"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--steps", type=int, default=16000, help="a fifth of a second each")
    parser.add_argument("--out", type=Path, default=Path(WEIGHTS))
    asked = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    *texts, vocabulary = read_texts()
    encoder, bias = (
        encoder_of(asked.notebook, len(vocabulary)),
        torch.zeros(WORDS, requires_grad=True),
    )
    train(encoder, bias, texts, vocabulary, asked.steps)
    print(f"{share_right(encoder, bias, texts[1], vocabulary):.1%} right in unseen code")
    kept = {name: weight.detach().half() for name, weight in encoder.named_parameters()}
    save_file(
        kept | {"bias": bias.detach().half()}, asked.out, {"vocabulary": json.dumps(vocabulary)}
    )


if __name__ == "__main__":
    main()
