# Questions that name another norm than the one that was handed over: one that is not there, or none.
# proof: refused 4 of 4
import gc

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
refused = 0
for group in (10**6, 2**70, "0", None):
    asked = {"name": "played", "group": group, "played": True, "number": 0, "built": {}}
    server._send({"ask": asked | {"handed": [x], "upstream": None}})
    refused += "refused" in server.channel.receive()
prove("refused", refused, "of 4")
return "both"
