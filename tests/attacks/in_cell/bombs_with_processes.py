# proof: made 0, refused 100 by {'EPERM'}
# unwalled: made 100, refused 0 by set\(\)
import errno
import os

made, refused = 0, []
for _ in range(100):
    try:
        if os.fork() == 0:
            os._exit(0)
        made += 1
    except OSError as error:
        refused.append(errno.errorcode[error.errno])
prove(f"made {made}, refused {len(refused)} by {set(refused)}")
