def encoder_tail(features, weight_in, bias_in, weight_out, bias_out, scale, shift):
    d, hidden_units = weight_in.shape
    feed_forward = nn.Sequential(nn.Linear(d, hidden_units), nn.ReLU(), nn.Linear(hidden_units, d))
    norm = nn.LayerNorm(d, eps=1e-6)
    with torch.no_grad():
        feed_forward[0].weight = nn.Parameter(weight_in.t())
        feed_forward[0].bias = nn.Parameter(bias_in)
        feed_forward[2].weight = nn.Parameter(weight_out.t())
        feed_forward[2].bias = nn.Parameter(bias_out)
        norm.weight = nn.Parameter(scale)
        norm.bias = nn.Parameter(shift)
        ffn = feed_forward(features)
        residual = features + ffn
        return ffn, residual, norm(residual)
