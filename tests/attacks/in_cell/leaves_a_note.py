# prints: notes found 0, left 3
import os

found = left = 0
for folder in ("/tmp", "/workdir", "/dev/shm"):
    found += os.path.exists(f"{folder}/note")
    with open(f"{folder}/note", "w") as file:
        left += file.write("x")
print(f"notes found {found}, left {left}")
