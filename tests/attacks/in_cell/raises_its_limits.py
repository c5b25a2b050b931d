# proof: refused 4
# unwalled: refused [0-3]
import resource

refused = 0
for what in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(what, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        refused += 1
prove("refused", refused)
