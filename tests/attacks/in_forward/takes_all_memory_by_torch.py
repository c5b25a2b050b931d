# state: out_of_memory
hoard = [torch.ones(1 << 28) for _ in range(64)]
