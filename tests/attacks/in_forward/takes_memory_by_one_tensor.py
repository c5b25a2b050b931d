# state: out_of_memory
# proof: about to take 4 TiB
prove("about to take", (4 << 40) >> 40, "TiB")
torch.empty(1 << 40)
