# prints: folders [1-9]\d{2,}.*\[\]
import os

wanted = ("gradebook", "submitted", "graders", "test_attention", "reference", "planted", ".ipynb")
folders, found = 0, []
for top, _, files in os.walk("/"):
    folders += 1
    if not top.startswith(("/packages", "/usr", "/lib", "/python")):
        found += [name for name in files if any(word in name for word in wanted)]
print("folders", folders, found)
