"""llama.cpp's own server over one file, as its wheel has it: `llama-server.py FILE ALIAS [embedding]`.

Prints its address once it listens, and serves until it is ended. One thread: several wait for each other in loops.
"""

import signal
import sys

import xllamacpp

path, alias, *rest = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = path
params.model_alias = {alias}
params.n_ctx = 2048
params.n_parallel = 1
params.embedding = rest == ["embedding"]
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
