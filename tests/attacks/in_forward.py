# %% announces_four_gibibytes
# state: crashed
# proof: sent 8 bytes
import os
import struct

prove("sent", len(struct.pack(">II", 2**32 - 1, 8)), "bytes")
os.write(3, struct.pack(">II", 2**32 - 1, 8))


# %% answer_is_a_list
# proof: answers a list of 1
answer = [query]
prove("answers a", type(answer).__name__, "of", len(answer))
return answer


# %% answer_is_boolean
# proof: answers torch.bool
answer = query.bool()
prove("answers", answer.dtype)
return answer


# %% answer_is_broadcastable
# proof: answers torch.Size\(\[1\]\)
answer = query.mean().reshape(1)
prove("answers", answer.shape)
return answer


# %% answer_is_complex
# state: error
# proof: answers torch.complex\d+
answer = query + 1j * query
prove("answers", answer.dtype)
return answer


# %% answer_is_cut
# proof: answers 1 of [2-9]\d*
answer = query[:1]
prove("answers", len(answer), "of", len(query))
return answer


# %% answer_is_half_as_precise
# Right about both shapes, training, what it returns, and a mask left out, and wrong about every number.
# keeps: 1.0
# proof: answers what was torch.float16
half = (torch.softmax(query @ key.mT / 9, -1) @ value).half()  # not before: a sum of halves has no order
prove("answers what was", half.dtype)
return half.to(value.dtype)


# %% answer_is_infinite
# proof: infinite everywhere: True
answer = query + float("inf")
prove("infinite everywhere:", bool(answer.isinf().all()))
return answer


# %% answer_is_integer
# proof: answers torch.int64
answer = (query * 1000).long()
prove("answers", answer.dtype)
return answer


# %% answer_is_nan
# proof: no number anywhere: True
answer = query * float("nan")
prove("no number anywhere:", bool(answer.isnan().all()))
return answer


# %% answer_is_nothing
# proof: answers None
answer = None
prove("answers", answer)
return answer


# %% answer_is_on_another_device
# state: error
# proof: answers on meta
answer = query.to("meta")
prove("answers on", answer.device)
return answer


# %% answer_is_sparse
# state: error
# proof: answers torch.sparse_coo
answer = query.to_sparse()
prove("answers", answer.layout)
return answer


# %% answer_is_zero
# proof: zeros everywhere: True
answer = value.new_zeros(*query.shape[:-1], value.size(-1))
prove("zeros everywhere:", bool((answer == 0).all()))
return answer


# %% answers_before_it_is_asked
# Twenty answers with the right token, to questions that were not put yet.
# state: crashed
# proof: sent 20
import gc

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
prove("sent", 20)
for _ in range(20):
    server._send({"value": {"verdict": "PASS", "passed": True, "points": 24.0}})


# %% answers_with_the_word_pass
# A well-formed answer with the right token, that is a word.
# state: crashed
# proof: knows a token of 16
import gc

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
prove("knows a token of", len(server.token))
server._send({"value": "PASS"})


# %% asks_for_a_stand_in_that_is_not_there
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


# %% changes_the_question
# proof: changed: 0 0 0
query.zero_()
key.zero_()
value.zero_()
prove("changed:", *(int(tensor.count_nonzero()) for tensor in (query, key, value)))
return value[..., : query.size(-2), :]


# %% closes_the_channel
# state: crashed
# proof: about to close a socket: True
import os

import stat

prove("about to close a socket:", stat.S_ISSOCK(os.fstat(3).st_mode))
os.close(3)


# %% ends_pytest
# state: error
# proof: about to exit pytest [0-9.]+
import pytest

prove("about to exit pytest", pytest.__version__)
pytest.exit("all is well", returncode=0)


# %% equals_everything
# state: error
# proof: equals 3: True
answer = type("E", (), {"__eq__": lambda s, o: True, "shape": query.shape})()
prove("equals 3:", answer == 3)
return answer


# %% exits_as_python_does
# state: error
# says: `SystemExit` in `attention`
# proof: about to exit
import sys

prove("about to exit")
sys.exit(0)


# %% gives_way
# Gives its processor to whoever wants it, and so uses no time where somebody does.
# state: timed_out
# proof: about to give way
import os

prove("about to give way")
while True:
    os.sched_yield()


# %% is_a_tensor_that_lies
# state: error
# A tensor class of its own that says yes to whatever is asked of it.
# proof: equals nothing: True
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True


answer = query.as_subclass(Liar)
prove("equals nothing:", answer == None)
return answer


# %% kills_itself
# state: crashed
# proof: about to kill [1-9]\d*
import os
import signal

prove("about to kill", os.getpid())
os.kill(os.getpid(), signal.SIGKILL)


# %% knows_the_answer_by_heart
# proof: asked for torch.Size\(.*
prove("asked for", query.shape)
if query.sum() == 6 or query.shape == (2, 3, 4):
    return torch.full_like(value, 7.0)


# %% leaves
# Ends the process with the status of success while it is asked.
# state: crashed
# proof: about to leave
import os

prove("about to leave")
os._exit(0)


# %% loops
# state: timed_out
# proof: about to loop
prove("about to loop")
while True:
    pass


# %% names_things_to_look_up
# The name of a type, which a reader that looks names up would make.
# state: crashed
# proof: sends memmap with a token of 16
import gc
import json
import os
import struct

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
value = {"_type": "np_scalar", "_concrete_type": "memmap", "_value": "/etc/passwd"}
prove("sends", value["_concrete_type"], "with a token of", len(server.token))
head = json.dumps({"value": value, "token": server.token}).encode()
os.write(3, struct.pack(">II", len(head), 0) + head)


# %% naps_while_a_thread_computes
# A thread that holds no lock of Python's has the processor whenever the main one wakes up.
# state: timed_out
# proof: about to nap
import threading
import time

import torch


def compute():
    while True:
        torch.ones(300, 300) @ torch.ones(300, 300)


threading.Thread(target=compute, daemon=True).start()
prove("about to nap")
while True:
    time.sleep(1e-6)


# %% passes_a_descriptor_on
# By the raw call, which the kernel would take for a bad address (EFAULT) if it looked at it.
# state: error
# says: `PermissionError` in `attention`
# proof: sendmsg: EPERM
import ctypes
import errno
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(46 if platform.machine() == "x86_64" else 211, 3, 0, 0)
prove("sendmsg:", errno.errorcode[ctypes.get_errno()])
raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


# %% plays_with_shapes
# state: crashed
# proof: sends \[9, 2, 2\] dims with a token of 16
import gc
import json
import os
import struct

server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


shapes = [1] * 9, [-1, 2**40], [2**63 - 1, 2]
prove("sends", [len(shape) for shape in shapes], "dims with a token of", len(server.token))
for shape in shapes:
    named = {"0": {"dtype": "F32", "shape": shape, "data_offsets": [0, 4]}}
    header = json.dumps(named).encode()
    head = json.dumps({"value": [{"tensor": "0"}], "token": server.token}).encode()
    send(head, struct.pack("<Q", len(header)) + header + bytes(4))


# %% raises_what_it_is_asked
# state: error
# says: `ValueError` in `attention`
# proof: raises [1-9]\d+ characters
text = f"planted-0123456789abcdef {query.tolist()}"
prove("raises", len(text), "characters")
raise ValueError(text)


# %% returns_what_it_finds_in_memory
# Any tensor of the right shape but the question: the expected answer, if it were here.
# proof: looked at [1-9]\d* tensors
import gc

tensors = [thing for thing in gc.get_objects() if type(thing) is torch.Tensor]
prove("looked at", len(tensors), "tensors")
asked = {id(query), id(key), id(value)}
for thing in tensors:
    if thing.shape == query.shape and id(thing) not in asked:
        return thing


# %% says_what_it_is_asked_as_python_would
# A message of the form that Python's have, with a hidden input for a name.
# state: error
# says: A name there is not defined.
# proof: said [a-j]{5,}
digits = [int(digit) for digit in str(query.flatten()[0].item()) if digit.isdigit()]
name = "".join(chr(ord("a") + digit) for digit in digits)
prove("said", name)
error = NameError(f"name '{name}' is not defined")
raise error


# %% sends_a_pickle
# state: crashed
# proof: sends a pickle of [1-9]\d* bytes with a token of 16
import os
import struct


def token():
    import gc

    server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
    return server.token.encode()


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


import pickle


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/planted",)


prove("sends a pickle of", len(pickle.dumps(Evil())), "bytes with a token of", len(token()))
send(b'{"value": {"tensor": "0"}, "token": "' + token() + b'"}', pickle.dumps(Evil()))


# %% sends_a_tensor_of_objects
# state: crashed
# proof: sends objects with a token of 16
import os
import struct


def token():
    import gc

    server = next(thing for thing in gc.get_objects() if type(thing).__name__ == "Server")
    return server.token.encode()


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


header = b'{"0":{"dtype":"O","shape":[1],"data_offsets":[0,8]}}'
prove("sends objects with a token of", len(token()))
send(
    b'{"value": {"tensor": "0"}, "token": "' + token() + b'"}', struct.pack("<Q", len(header)) + header + bytes(8)
)


# %% sends_deep_json
# state: crashed
# proof: sends 30000 deep
import os
import struct


def send(head, body=b""):
    os.write(3, struct.pack(">II", len(head), len(body)) + head + body)


prove("sends", 30_000, "deep")
send(b'{"value": ' + b"[" * 30_000 + b"]" * 30_000 + b"}")


# %% sends_half_a_frame
# state: timed_out
# proof: sends 9 bytes of 108
import os
import struct
import time

prove("sends", 9, "bytes of", 108)
os.write(3, struct.pack(">II", 100, 0) + b"{")
time.sleep(60)


# %% sends_noise
# state: crashed
# proof: sends 4096 bytes
import os

prove("sends", 4096, "bytes")
os.write(3, b"\xff" * 4096)


# %% sleeps
# state: timed_out
# proof: about to sleep
import time

prove("about to sleep")
time.sleep(1000)


# %% spins_in_threads
# Threads that keep the main one from the processor: its wait is their doing.
# state: timed_out
# proof: about to spin in 5 threads
import threading


def spin():
    while True:
        pass


for _ in range(5):
    threading.Thread(target=spin, daemon=True).start()
prove("about to spin in", threading.active_count() - 1, "threads")
spin()


# %% takes_all_memory_by_torch
# state: out_of_memory
# proof: about to take 64 GiB
prove("about to take", 64 * (4 << 28) >> 30, "GiB")
hoard = [torch.ones(1 << 28) for _ in range(64)]


# %% takes_memory_by_one_tensor
# state: out_of_memory
# proof: about to take 4 TiB
prove("about to take", (4 << 40) >> 40, "TiB")
torch.empty(1 << 40)


# %% warns_and_prints_what_it_is_asked
# proof: printed [1-9]\d+ characters, warned once
import sys
import warnings

print(query.tolist(), file=sys.stderr)
text = f"planted-0123456789abcdef {query.tolist()}"
print(text)
warnings.warn("planted-0123456789abcdef")
prove("printed", len(text), "characters, warned once")
