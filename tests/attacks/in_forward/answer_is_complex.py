# state: error
# proof: answers torch.complex\d+
answer = query + 1j * query
prove("answers", answer.dtype)
return answer
