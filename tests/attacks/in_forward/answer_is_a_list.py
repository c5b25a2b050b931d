# proof: answers a list of 1
answer = [query]
prove("answers a", type(answer).__name__, "of", len(answer))
return answer
