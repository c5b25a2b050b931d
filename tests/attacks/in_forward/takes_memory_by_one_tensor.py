# state: out_of_memory
torch.empty(1 << 40)
