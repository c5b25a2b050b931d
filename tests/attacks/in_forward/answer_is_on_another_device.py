# state: error
# proof: answers on meta
answer = query.to("meta")
prove("answers on", answer.device)
return answer
