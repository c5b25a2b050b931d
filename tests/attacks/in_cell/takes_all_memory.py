# state: out_of_memory
hoard = []
while True:
    hoard.append(bytearray(64 << 20))
