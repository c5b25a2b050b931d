def recover(inputs: Tensor, outputs: Tensor) -> dict:
    std, mean = torch.std_mean(inputs, dim=1, keepdim=True, correction=0)
    x_hat = (inputs - mean) / torch.sqrt(std**2 + 1e-6)
    found = {"gamma": [], "beta": []}
    for x, y in zip(x_hat.unbind(1), outputs.unbind(1)):
        cov = torch.cov(torch.stack([x, y]))
        found["gamma"].append(cov[0, 1] / cov[0, 0])
        found["beta"].append(y.mean() - cov[0, 1] / cov[0, 0] * x.mean())
    return {name: torch.stack(values) for name, values in found.items()}
