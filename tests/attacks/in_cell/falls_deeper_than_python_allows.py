# Python 3.11 keeps its frames on the heap: a bomb of memory, not of the stack.
# state: out_of_memory
# proof: may fall 2147483647 deep
import sys


def fall(depth):
    return torch.empty(1 << 24), fall(depth + 1)


sys.setrecursionlimit(2**31 - 1)
prove("may fall", sys.getrecursionlimit(), "deep")
fall(0)
