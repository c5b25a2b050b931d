# proof: answers torch.Size\(\[1\]\)
answer = query.mean().reshape(1)
prove("answers", answer.shape)
return answer
