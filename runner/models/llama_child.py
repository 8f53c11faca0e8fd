"""The process that runs llama.cpp's server; started as a script by `llama_server.py`, imported by nothing.

It reads one line of settings from standard input, serves, writes one line to standard output (the address, or what
went wrong), and ends when its standard input closes: when its parent closes it or dies, however it dies.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Protocol, TextIO


class _Server(Protocol):
    """What is used of the server; the wheel has no types."""

    @property
    def listening_address(self) -> str:
        """Return its URL."""


def main() -> None:
    """Serve until standard input closes."""
    settings: dict[str, str] = json.loads(sys.stdin.readline())
    report = _quiet()
    try:
        # Held until the end: the server stops with its object.
        server = _serve(settings["weights"], settings["name"], settings["key"], int(settings["context"]))
        line = {"address": server.listening_address}
    except (AttributeError, ImportError, OSError, RuntimeError, TypeError, ValueError) as error:
        line = {"fault": f"{type(error).__name__}: {error}"}
    report.write(f"{json.dumps(line)}\n")
    report.flush()
    sys.stdin.read()
    # The server's own clean-up waits for requests under way, which nobody waits for any more.
    os._exit(0)


def _quiet() -> TextIO:
    """Return standard output for us alone; what the server prints goes nowhere."""
    report = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    return report


def _serve(weights: str, name: str, key: str, context: int) -> _Server:
    """Start the server so that a step of a long chat takes as little time as possible.

    The unchanged prefix of a prompt is kept from step to step. What is new is computed in whatever batch is left over,
    which moves the last digits of a probability: where two words are nearly tied, equal prompts may give other words.
    No run depends on that, since a reply is journaled and never drawn again. (Flash attention in batches of 16 would
    make a reply depend on its prompt alone, at half the speed.)

    One thread is far faster than two on a busy machine, where the threads of llama.cpp wait for each other.
    """
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = weights
    params.model_alias = {name}
    params.api_keys = [key]
    params.n_ctx = context
    params.n_parallel = 1
    params.cache_prompt = True
    params.cache_ram_mib = 0
    params.n_ubatch = 256
    params.flash_attn_type = llama.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = 0
    params.no_op_offload = True
    params.no_kv_offload = True
    params.fit_params = False
    params.warmup = False
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = -1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    server: _Server = llama.Server(params)
    return server


if __name__ == "__main__":
    main()
