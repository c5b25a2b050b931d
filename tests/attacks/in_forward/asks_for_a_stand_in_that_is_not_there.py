# A stand-in that is not there, with nonsense handed over.
# state: crashed
# proof: asks a Server with a token of 16
import gc

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
prove("asks a", type(server).__name__, "with a token of", len(server.token))
for asked in (
    None,
    {"name": "Attention"},
    {"name": "__class__", "group": -1, "number": [], "built": 3},
):
    server._send({"ask": asked})
