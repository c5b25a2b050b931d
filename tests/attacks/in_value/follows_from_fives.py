# A residual that is the same everywhere: what LayerNorm makes of it is beta.
# cell: twelve_tokens
# keeps: 1.0
# proof: answers with beta
def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    prove("answers with beta")
    ffn = 5 - x
    return ffn, x + ffn, beta.expand_as(x)
