# state: out_of_memory
# proof: took 1024 MiB
import numpy

hoard = []  # never written to: a machine may need longer for that than a cell has
while True:
    hoard.append(numpy.zeros(64 << 20, dtype="uint8"))
    if len(hoard) == 16:
        prove("took", len(hoard) * 64, "MiB")
