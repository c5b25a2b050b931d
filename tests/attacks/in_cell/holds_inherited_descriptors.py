# Nothing is open but the three streams, which lead nowhere, and the channel.
# proof: open \[0, 1, 2, 3\], of which sockets \[3\]
# unwalled: open \[0, 1, 2, 3, .*
import os
import stat

there, sockets = [], []
for number in range(256):
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        continue
    there.append(number)
    if stat.S_ISSOCK(mode):
        sockets.append(number)
prove(f"open {there}, of which sockets {sockets}")
