# state: out_of_memory
# proof: about to take 64 GiB
prove("about to take", 64 * (4 << 28) >> 30, "GiB")
hoard = [torch.ones(1 << 28) for _ in range(64)]
