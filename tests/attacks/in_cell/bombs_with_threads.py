# proof: threads 1\d|threads 2\d|threads 3[01]
# unwalled: threads 200
import threading
import time

for number in range(200):
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        break
else:
    number = 200
prove("threads", number)
