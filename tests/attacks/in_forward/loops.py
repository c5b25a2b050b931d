# state: timed_out
# proof: about to loop
prove("about to loop")
while True:
    pass
