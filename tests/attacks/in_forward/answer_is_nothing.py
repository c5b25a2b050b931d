# proof: answers None
answer = None
prove("answers", answer)
return answer
