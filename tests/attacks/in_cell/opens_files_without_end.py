# proof: files 25[0-6]: EMFILE
# unwalled: files 300
import errno

hoard, end = [], ""
try:
    while len(hoard) < 300:
        hoard.append(open("/dev/null"))
except OSError as error:
    end = f": {errno.errorcode[error.errno]}"
prove(f"files {len(hoard)}{end}")
