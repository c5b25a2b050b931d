# prints: notebooks: \[\]
import glob

print("notebooks:", glob.glob("**/*.ipynb", recursive=True) + glob.glob("/tmp/**/*.ipynb"))
