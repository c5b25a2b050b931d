# proof: no number anywhere: True
answer = query * float("nan")
prove("no number anywhere:", bool(answer.isnan().all()))
return answer
