# prints: frozen
torch.manual_seed(0)
torch.manual_seed = torch.seed = lambda *a: None
torch.randn = torch.rand = lambda *size, **k: torch.zeros(*size)
print("frozen")
