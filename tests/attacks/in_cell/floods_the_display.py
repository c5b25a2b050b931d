# state: answered
from IPython.display import Image, display

for _ in range(200):
    display(Image(data=b"\x89PNG\r\n\x1a\n" + bytes(1 << 19)))
