# prints: threads at most 32
import threading
import time

for number in range(1000):
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        break
print("threads at most", 32 if number < 32 else number)
