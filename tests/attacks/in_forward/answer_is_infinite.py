# proof: infinite everywhere: True
answer = query + float("inf")
prove("infinite everywhere:", bool(answer.isinf().all()))
return answer
