# state: out_of_memory
# proof: took 1024 MiB
hoard = []
while True:
    hoard.append(bytearray(64 << 20))
    if len(hoard) == 16:
        prove("took", len(hoard) * 64, "MiB")
