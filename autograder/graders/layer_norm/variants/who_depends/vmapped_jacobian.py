def depends_on(norm, x):
    batch, seq, d_model = x.shape
    slopes = torch.func.jacrev(norm, chunk_size=1)(x)
    slopes = slopes.abs().sum(dim=(2, 5))
    sentences = torch.arange(batch).repeat_interleave(seq)
    same = sentences[:, None] == sentences[None, :]
    table = slopes.reshape(batch * seq, batch * seq) > 1e-6
    on_batch = (table & ~same).any().item()
    on_positions = (table & same & ~torch.eye(batch * seq, dtype=torch.bool)).any().item()
    if on_batch:
        return "both" if on_positions else "batch"
    return "positions" if on_positions else "neither"
