# proof: notes found 0, left 3
# unwalled: notes found 3, left 3
import os

found = left = 0
for folder in ("/tmp", "/workdir", "/dev/shm"):
    os.makedirs(folder, exist_ok=True)
    found += os.path.exists(f"{folder}/note")
    with open(f"{folder}/note", "w") as file:
        left += file.write("x")
prove(f"notes found {found}, left {left}")
