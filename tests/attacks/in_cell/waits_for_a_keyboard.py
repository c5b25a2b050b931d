# state: error
input("password? ")
