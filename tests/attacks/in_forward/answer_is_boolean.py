# proof: answers torch.bool
answer = query.bool()
prove("answers", answer.dtype)
return answer
