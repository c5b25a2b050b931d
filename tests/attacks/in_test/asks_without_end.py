# proof: answered 300 times, then asked_too_often
global done
answered = 0
while "done" not in globals():
    try:
        norm(x)
        answered += 1
    except Exception as error:
        done = prove("answered", answered, "times, then", error.kind)
return "neither"
