"""llama.cpp's OpenAI-compatible server in a process of its own, on a loopback port."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import NamedTuple, Self
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

_CHILD = Path(__file__).with_name("llama_child.py")
_START_SECONDS = 120.0
_CLOSE_SECONDS = 5.0
_POLL_SECONDS = 0.05


class ServerStartError(RuntimeError):
    """The server did not come up; the message says why."""


class Address(NamedTuple):
    """Where a started server is."""

    base_url: str
    api_key: str
    """Made anew at each start, so that no other user of the machine can ask."""


class LlamaServer:
    """A started server, shut down by `close` or with this process.

    Args:
        weights: The GGUF file.
        name: The model's name at the endpoint.
        context: Tokens of context.

    Raises:
        ServerStartError: If it does not come up.
    """

    def __init__(self, weights: Path, name: str, context: int) -> None:
        key = secrets.token_hex(16)
        settings = {"weights": str(weights), "name": name, "key": key, "context": str(context)}
        self._process = subprocess.Popen(  # noqa: S603  # our own script with our own interpreter
            # -P: the script's folder holds our modules, which must not pass for the interpreter's.
            [sys.executable, "-P", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            # An interrupt from the keyboard is the parent's to handle; the server ends when its input closes.
            start_new_session=True,
        )
        try:
            self.address = Address(f"{self._begin(settings)}/v1", key)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Return whether the process runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """Shut the server down; more than once does no harm."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        # A broken pipe: the process is gone already.
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _begin(self, settings: dict[str, str]) -> str:
        deadline = time.monotonic() + _START_SECONDS
        line = self._exchange(json.dumps(settings))
        try:
            said: dict[str, str] = json.loads(line)
        except ValueError as error:
            raise ServerStartError(
                f"llama.cpp's server ended before it served: exit code {self._process.poll()}"
            ) from error
        address = said.get("address")
        if address is None:
            raise ServerStartError(f"llama.cpp's server did not start: {said.get('fault')}")
        self._wait_until_healthy(address, deadline)
        return address

    def _exchange(self, line: str) -> str:
        """Send one line and return the one that comes back; empty if none does in time."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(f"{line}\n")
            stdin.flush()
        except BrokenPipeError:
            return ""
        lines: list[str] = []
        # A pipe has no read timeout on every system; a thread does.
        reader = Thread(target=lambda: lines.append(stdout.readline()), daemon=True)
        reader.start()
        reader.join(_START_SECONDS)
        if reader.is_alive():
            self._process.kill()
            reader.join()
        return lines[0] if lines else ""

    def _wait_until_healthy(self, address: str, deadline: float) -> None:
        opener = build_opener(ProxyHandler({}))
        while True:
            try:
                with opener.open(f"{address}/health", timeout=_CLOSE_SECONDS):
                    return
            except (URLError, OSError) as error:
                if time.monotonic() > deadline or not self.running:
                    raise ServerStartError(f"llama.cpp's server is not healthy: {error}") from error
            time.sleep(_POLL_SECONDS)
