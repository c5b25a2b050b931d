# proof: answers torch.int64
answer = (query * 1000).long()
prove("answers", answer.dtype)
return answer
