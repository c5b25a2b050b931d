# proof: ENOENT ENOENT ENOENT
# unwalled: read read read
import errno

said = []
for path in ("../../s002/encoder-layer/encoder-layer.ipynb", "HOST_FILE", "/proc/1/root/HOST_FILE"):
    try:
        said.append("read" if open(path).read() else "empty")
    except OSError as error:
        said.append(errno.errorcode[error.errno])
prove(*said)
