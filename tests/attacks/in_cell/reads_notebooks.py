# proof: folders [1-9]\d*, notebooks 0
# unwalled: folders [1-9]\d*, notebooks [1-9]\d*
import glob
import os

folders = sum(1 for top in (".", "/tmp") for _ in os.walk(top))
found = glob.glob("**/*.ipynb", recursive=True) + glob.glob("/tmp/**/*.ipynb", recursive=True)
prove(f"folders {folders}, notebooks {len(found)}")
