# proof: showed 200
from IPython.display import Image, display

for shown in range(200):
    display(Image(data=b"\x89PNG\r\n\x1a\n" + bytes(1 << 19)))
prove("showed", shown + 1)
