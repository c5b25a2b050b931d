# A bit that outlives its writer: whether a page of a shared file is in memory.
# proof: refused refused refused
# unwalled: told (told|refused) told
import os

said, file = [], os.open(os.__file__, os.O_RDONLY)
for way in (
    lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED),
    lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT),
    lambda: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED),
):
    try:
        way()
        said.append("told")
    except OSError:
        said.append("refused")
prove(*said)
