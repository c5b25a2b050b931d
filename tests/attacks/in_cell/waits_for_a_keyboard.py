# state: error
# proof: asks for a password
prove("asks for a password")
input("password? ")
prove("got one")
