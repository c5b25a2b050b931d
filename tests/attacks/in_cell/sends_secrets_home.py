# prints: not sent: URLError
import os
import urllib.request

try:
    urllib.request.urlopen("http://127.0.0.1:9", data=str(os.environ).encode(), timeout=1)
except OSError as error:
    print("not sent:", type(error).__name__)
