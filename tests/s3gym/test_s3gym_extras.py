"""Settings of requests from a file and from flags: what is sent, what is recorded, and what is kept out of both."""

import base64
import json
import re
from pathlib import Path

import pytest

from protocol.asking import BodyField, Header
from protocol.bundle import ENVELOPE
from protocol.decoding import asked_with, one_line
from protocol.records import Decoding
from runner.entry import BUNDLE
from s3gym.configuring import read_settings
from s3gym.opening import access_of
from s3gym.preparing import plan_of
from s3gym.settings import Settings
from tests.s3gym.endpoint import Manners, chats
from tests.s3gym.face import Face, refused

ROOT = Path(__file__).resolve().parents[2]
FILE = """\
model = "m"
base-url = "http://h/v1"
top-p = 0.9
sampling-seed = 7
reasoning-effort = "high"
stream = true

[extra-body]
top_k = 20

[extra-body.provider]
order = ["one", "two"]
allow_fallbacks = false

[extra-headers]
X-Title = "s3gym"
X-Gateway-Key = "env:GATEWAY_KEY"
"""


def toml_blocks(page: Path) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def settings_of(text: str, tmp_path: Path, **flags: object) -> Settings:
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path, flags)


def test_sections_of_a_file_become_fields_and_headers(tmp_path: Path) -> None:
    decoding = plan_of(settings_of(FILE, tmp_path)).decoding
    assert decoding.extra_body == (
        BodyField(name="provider", value='{"allow_fallbacks":false,"order":["one","two"]}'),
        BodyField(name="top_k", value="20"),
    )
    assert decoding.extra_headers == (Header(name="x-gateway-key", value=None), Header(name="x-title", value="s3gym"))
    assert (decoding.top_p, decoding.sampling_seed, decoding.reasoning_effort) == (0.9, 7, "high")


def test_flags_add_to_a_table_and_win_by_name(tmp_path: Path) -> None:
    flags: dict[str, object] = {
        "extra_body": ["top_k=40", "verbosity=low", 'thinking={"type": "disabled"}'],
        "extra_headers": ["x-title=other=one"],
    }
    decoding = plan_of(settings_of(FILE, tmp_path, **flags)).decoding
    assert {each.name: each.value for each in decoding.extra_body} == {
        "provider": '{"allow_fallbacks":false,"order":["one","two"]}',
        "thinking": '{"type":"disabled"}',
        "top_k": "40",
        "verbosity": '"low"',
    }
    assert decoding.extra_headers[1] == Header(name="x-title", value="other=one")


def test_the_settings_that_would_be_used_are_a_file_again(face: Face, tmp_path: Path) -> None:
    Path("run.toml").write_text(FILE)
    printed = face("run", "--config", "run.toml", "--print-config").stdout
    again = settings_of(printed, tmp_path)
    first = settings_of(FILE, tmp_path)
    assert (again.extra_body, again.extra_headers, again.stream) == (first.extra_body, first.extra_headers, True)


KEY = "sk-abcdefghijklmnopqrstuvwx"
WRONG: list[tuple[str, tuple[str, ...]]] = [
    ("[extra-body]\nmax_tokens = 5", ("extra-body", "max_tokens", "budget")),
    ("[extra-body]\ntemperature = 5", ("temperature", "belongs into temperature")),
    ("[extra-body]\nseed = 5", ("sampling-seed",)),
    ("[extra-body]\ntop_k = nan", ("top_k", "finite")),
    ("[extra-body]\nday = 1979-05-27", ("day", "expected text, finite numbers")),
    ("extra-body = 5", ("extra-body", "expected a table", "extra-body = {")),
    (f'[extra-body]\nuser = "{KEY}"', ("extra-body", "user", "an API key", "not shown")),
    ('[extra-body]\nuser = "me@example.org"', ("user", "an e-mail address")),
    ('[extra-body]\napi_key = "abcdefgh12"', ("api_key",)),
    ('[extra-headers]\nAuthorization = "Bearer x"', ("authorization", "api-key-header")),
    ('[extra-headers]\nHelicone-Auth = "abcdefgh"', ("helicone-auth", "not shown", "env:MY_VARIABLE")),
    (f'[extra-headers]\nx-note = "{KEY}"', ("x-note", "an API key", "not shown")),
    ("[extra-headers]\nx-title = 5", ("x-title", "text in quotes")),
    ('[extra-headers]\nx-title = "a"\nX-Title = "b"', ("x-title", "once")),
    ('[extra-headers]\nx-title = "env:not a name"', ("x-title", "environment variable")),
    ('reasoning-effort = "Very high"', ("reasoning-effort", "a word in small letters")),
    ("sampling-seed = -1", ("sampling-seed", "at least 0")),
    ("top-p = 0", ("top-p", "more than 0")),
    ('api = "completions"', ("chat or responses",)),
]


@pytest.mark.parametrize(("text", "words"), WRONG, ids=[text[:40] for text, _ in WRONG])
def test_what_may_not_be_sent_or_told_is_refused(face: Face, text: str, words: tuple[str, ...]) -> None:
    Path("run.toml").write_text(f"{text}\n")
    result = face("run", "--config", "run.toml")
    refused(result, 2, "run.toml", *words)
    assert KEY not in result.output


@pytest.mark.parametrize(
    ("flag", "value", "words"),
    [
        ("--extra-body", "top_k", ("NAME=JSON",)),
        ("--extra-body", "top_k={", ("top_k", "expected JSON")),
        ("--extra-body", "n=2", ("n: no run can set this",)),
        ("--extra-body", f"user={KEY}", ("an API key",)),
        ("--extra-header", "x-title", ("NAME=VALUE",)),
        ("--extra-header", "host=a", ("host: no run can set this",)),
    ],
)
def test_flags_are_checked_alike(face: Face, flag: str, value: str, words: tuple[str, ...]) -> None:
    result = face("run", flag, value)
    refused(result, 2, flag, *words)
    assert KEY not in result.output


def test_an_estimate_and_an_examination_take_the_same_settings_through_the_same_code(face: Face) -> None:
    for command in (["run", "--estimate"], ["doctor"]):
        refused(face(*command, "--extra-body", "n=2"), 2, "--extra-body: n: no run can set this")


def test_the_value_of_the_key_is_found_wherever_it_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "unshaped word")
    with pytest.raises(ValueError, match=r"extra-body, user: .* the API key"):
        settings_of('api-key-env = "MY_KEY"\n[extra-body]\nuser = "unshaped word"', tmp_path)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('api = "responses"\nsampling-seed = 1', "the Responses API takes none"),
        (
            'api = "responses"\nreasoning-effort = "low"\n[extra-body]\nreasoning = {summary = "auto"}',
            "put it in there",
        ),
        ('api-key-header = "X-Key"\n[extra-headers]\nx-key = "env:A"', "another header than that of the key"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(tmp_path: Path, more: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plan_of(settings_of(f'model = "m"\nbase-url = "http://h/v1"\n{more}', tmp_path))


@pytest.mark.parametrize("more", ['reasoning-effort = "low"', "[extra-body]\ntop_k = 1", 'api = "responses"'])
def test_a_model_without_an_endpoint_takes_none_so_that_nothing_is_recorded_that_was_not_sent(
    tmp_path: Path, more: str
) -> None:
    with pytest.raises(ValueError, match="no endpoint is asked"):
        plan_of(settings_of(f'model = "builtin:greedy"\n{more}', tmp_path))


def test_a_secret_header_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(FILE, tmp_path)
    with pytest.raises(ValueError, match="x-gateway-key: expected a value in the environment variable GATEWAY_KEY"):
        access_of(settings)
    monkeypatch.setenv("GATEWAY_KEY", "a secret of ours")
    access = access_of(settings)
    assert access.hidden == {"x-gateway-key": "a secret of ours"}
    assert "a secret of ours" not in repr(access)


def test_a_run_sends_them_with_every_request_and_tells_them_in_its_bundle(
    face: Face, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "a secret of ours")
    face("keygen", "red")
    with Manners().serve() as server:
        text = FILE.replace("http://h/v1", server.url).replace("stream = true\n", "")
        Path("run.toml").write_text(text)
        result = face(
            "run", "--config", "run.toml", "--protocol", "smoke-1", "--game", "trust", "--key", "keys/red.key"
        )
        assert result.exit_code == 0, result.output
        sent = chats(server)
    assert {each.headers["x-gateway-key"] for each in sent} == {"a secret of ours"}
    assert {each.headers["x-title"] for each in sent} == {"s3gym"}
    for request in sent:
        assert (request.body["top_k"], request.body["seed"], request.body["top_p"]) == (20, 7, 0.9)
        assert request.body["reasoning_effort"] == "high"
        assert request.body["provider"] == {"order": ["one", "two"], "allow_fallbacks": False}
    (run,) = Path("runs").iterdir()
    payload = json.loads((run / BUNDLE / ENVELOPE).read_bytes())["payload"]
    declared = Decoding.model_validate_json(json.dumps(json.loads(base64.b64decode(payload))["predicate"]["decoding"]))
    assert one_line(asked_with(declared)) == (
        "temperature: 0, reasoning effort: high, top_p: 0.9, sampling seed: 7, "
        'body provider: {"allow_fallbacks":false,"order":["one","two"]}, body top_k: 20, '
        "header x-gateway-key: not told, header x-title: s3gym"
    )
    written = b"".join(path.read_bytes() for path in run.rglob("*") if path.is_file())
    assert b"a secret of ours" not in written


PAGES = sorted((ROOT / "docs" / "how-to" / "endpoints").glob("*.md"))
SNIPPETS = [
    (page, block) for page in (*PAGES, ROOT / "docs" / "how-to" / "configure-a-run.md") for block in toml_blocks(page)
]


@pytest.mark.parametrize(("page", "block"), SNIPPETS, ids=[page.stem for page, _ in SNIPPETS])
def test_every_file_on_the_pages_of_endpoints_is_one_that_a_run_takes(page: Path, block: str, tmp_path: Path) -> None:
    plan = plan_of(settings_of(block, tmp_path))
    assert plan.address is not None, f"{page.name} asks an endpoint"


@pytest.mark.parametrize("name", ["anthropic", "deepseek", "litellm", "openai", "openrouter"])
def test_the_large_services_have_a_page_with_a_file_and_what_caching_costs(name: str) -> None:
    (page,) = [page for page in PAGES if page.stem == name]
    assert toml_blocks(page)
    text = page.read_text(encoding="utf-8")
    assert all(word in text for word in ("effort", "hinking", "aching"))
    assert f"({name}.md)" in (page.parent / "index.md").read_text(encoding="utf-8")
