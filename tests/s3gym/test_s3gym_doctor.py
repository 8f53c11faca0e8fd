"""``s3gym doctor`` against endpoints of every kind: what it finds, what it says to do, and what it never shows."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from typer.testing import Result

from games.registry import GAMES
from protocol.preset import preset_named
from runner.models import base_url
from runner.models.builtin import Builtin
from s3gym.doctor import asking, machine
from tests.runner.faults import Received, Reply, ScriptedServer, completion, error
from tests.s3gym.endpoint import Manners, chats, limit_of, messages_of, played, tokens
from tests.s3gym.face import Face

GAME = ("--game", "snake")


@pytest.fixture
def keyed(face: Face) -> Face:
    """Return the command line in a folder with a registered key."""
    face("keygen", "red", "--registry", "submissions/keys")
    return face


def doctor(face: Face, server: ScriptedServer, *more: str, games: tuple[str, ...] = GAME) -> Result:
    url = server.url
    return face("doctor", "--model", "m", "--base-url", url, "--key", "keys/red.key", *games, *more)


def found(result: Result) -> dict[str, tuple[str, str, str]]:
    """Return verdict, finding and remedy by check, of a report as JSON."""
    report = json.loads(result.stdout)
    return {each["check"]: (each["verdict"], each["found"], each["remedy"] or "") for each in report["findings"]}


def examined(face: Face, manners: Manners, *more: str, code: int = 0) -> dict[str, tuple[str, str, str]]:
    with manners.serve() as server:
        result = doctor(face, server, "--json", *more)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return found(result)


def test_a_good_set_up_passes_every_check(keyed: Face) -> None:
    with Manners().serve() as server:
        result = doctor(keyed, server, games=())
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line for line in lines if line.startswith(("warn", "fail"))] == []
    for game in GAMES:
        if game.id in preset_named("smoke-1").games:
            assert f"sample {game.id}: action" in result.stdout
    assert "0 fail, 0 warn" in result.stdout


def test_it_makes_nothing_and_bounds_its_requests(keyed: Face) -> None:
    before = sorted(Path().rglob("*"))
    with Manners().serve() as server:
        everything = doctor(keyed, server, games=())
        assert len(chats(server)) == 3 + len(preset_named("smoke-1").games.keys() & {game.id for game in GAMES}) <= 12
        report = json.loads(doctor(keyed, server, "--no-samples", "--json").stdout)
    assert everything.exit_code == 0
    assert report["requests"] == 3
    assert report["samples"] == []
    assert sorted(Path().rglob("*")) == before


def test_the_report_as_json_says_what_was_read_and_what_it_took(keyed: Face) -> None:
    Path("prices.toml").write_text("[m]\ninput = 1\noutput = 10\n")
    with Manners().serve() as server:
        report = json.loads(doctor(keyed, server, "--json", "--prices", "prices.toml").stdout)
    (sample,) = report["samples"]
    assert (sample["game"], sample["legal"], sample["kind"], sample["finish"]) == ("snake", True, "answered", "stop")
    assert sample["start"].startswith(f"Answer: {sample['action']}, Score: ")
    assert report["passed"] is True
    cost = report["tokens_in"] * 1e-6 + report["tokens_out"] * 1e-5
    assert (report["cost"], report["currency"]) == (pytest.approx(cost, abs=1e-6), "USD")


def test_EP_01_an_endpoint_that_is_not_there_fails_after_one_request(keyed: Face) -> None:
    with Manners().serve() as server:
        url = server.url
    result = keyed("doctor", "--model", "m", "--base-url", url, "--key", "keys/red.key", *GAME)
    assert result.exit_code == 1
    assert "fail  endpoint" in result.stdout
    assert "start the server" in result.stdout
    assert "This took 1 requests" in result.stdout


def test_a_refused_key_names_the_variable_to_set(keyed: Face) -> None:
    verdict, said, remedy = examined(keyed, Manners(chat=lambda _: error(401, "bad key")), code=1)["api key"]
    assert (verdict, "401" in said, "OPENAI_API_KEY" in remedy) == ("fail", True, True)


def test_an_unknown_model_names_the_nearest_that_is_listed(keyed: Face) -> None:
    manners = Manners({"data": [{"id": "other"}, {"id": "mm-7b"}, {"id": "m-7b"}]}, chat=lambda _: error(404, "none"))
    verdict, _, remedy = examined(keyed, manners, code=1)["model"]
    assert (verdict, "m-7b" in remedy) == ("fail", True)


def test_EP_29_a_wrong_path_names_the_base_url_that_has_models(keyed: Face) -> None:
    with Manners().serve() as server:
        result = keyed("doctor", "--model", "m", "--base-url", f"{server.url}/api", "--key", "keys/red.key", *GAME)
    assert result.exit_code == 1
    assert f"try --base-url {server.url}/v1" in result.stdout


def test_EP_29_a_page_of_html_is_no_endpoint(keyed: Face) -> None:
    page = Reply(200, b"<html>Welcome</html>")
    verdict, said, _ = examined(keyed, Manners(None, chat=lambda _: page), code=1)["endpoint"]
    assert (verdict, "HTML" in said) == ("fail", True)


@pytest.mark.parametrize("refusal", [error(400, "System role not supported"), Reply(500, b"template error")])
def test_EP_19_a_refused_system_role_is_found_and_the_rest_is_checked_without(keyed: Face, refusal: Reply) -> None:
    def no_system(request: Received) -> Reply:
        return refusal if messages_of(request)[0].role == "system" else played(request)

    checks = examined(keyed, Manners(chat=no_system))
    assert checks["system role"][0] == "pass"
    assert "into the first user message" in checks["system role"][1]
    assert checks["alternation"][0] == checks["sample snake"][0] == "pass"
    assert examined(keyed, Manners(chat=no_system), "--no-system-role")["system role"][1] == "not used, as set"
    wanted = examined(keyed, Manners(chat=no_system), "--system-role", code=1)["system role"]
    assert (wanted[0], "--system-role" in wanted[2]) == ("fail", True)


def test_EP_19_a_template_that_takes_one_message_only_fails_the_alternation(keyed: Face) -> None:
    def one_turn(request: Received) -> Reply:
        roles = [message.role for message in messages_of(request)]
        return error(400, "expected one user message") if roles.count("user") > 1 else played(request)

    checks = examined(keyed, Manners(chat=one_turn), code=1)
    assert (checks["alternation"][0], checks["system role"][0]) == ("fail", "pass")


def test_EP_07_EP_09_what_requests_have_to_differ_in_is_told(keyed: Face) -> None:
    def particular(request: Received) -> Reply:
        if "max_tokens" in request.body:
            return error(400, "Use 'max_completion_tokens' instead.", None, "max_tokens")
        if "temperature" in request.body:
            return error(400, "temperature is not supported", None, "temperature")
        return played(request)

    checks = examined(keyed, Manners(chat=particular))
    assert "max_completion_tokens" in checks["token limit"][1]
    assert checks["temperature"][0] == "warn"
    assert "left to the server" in checks["temperature"][1]


SETTINGS = ("--reasoning-effort", "high", "--extra-body", "top_k=20", "--extra-header", "x-note=a")


def test_the_settings_of_a_run_are_sent_and_told(keyed: Face) -> None:
    with Manners().serve() as server:
        result = doctor(keyed, server, "--json", *SETTINGS)
        sent = chats(server)
    assert {(each.body["reasoning_effort"], each.body["top_k"], each.headers["x-note"]) for each in sent} == {
        ("high", 20, "a")
    }
    assert found(result)["settings of requests"][1].startswith(
        "reasoning effort: high, body top_k: 20, header x-note: a"
    )


def test_a_setting_that_is_refused_fails_with_the_endpoints_words_and_what_was_sent(keyed: Face) -> None:
    def plain(request: Received) -> Reply:
        said = "reasoning_effort: high is none of low, medium"
        return error(400, said) if "reasoning_effort" in request.body else played(request)

    verdict, said, remedy = examined(keyed, Manners(chat=plain), *SETTINGS, code=1)["endpoint"]
    assert (verdict, "none of low, medium" in said, "reasoning effort: high" in remedy) == ("fail", True, True)


def test_a_model_behind_the_responses_api_alone_is_told_from_a_wrong_path(keyed: Face) -> None:
    """The words are OpenAI's for such a model."""
    words = "This model is only supported in v1/responses and not in v1/chat/completions."
    verdict, _, remedy = examined(keyed, Manners(chat=lambda _: error(404, words)), code=1)["endpoint"]
    assert (verdict, "--api responses" in remedy) == ("fail", True)


def test_a_token_limit_that_is_not_kept_is_a_warning(keyed: Face) -> None:
    def endless(request: Received) -> Reply:
        return completion("and so on " * 200 if limit_of(request) < 400 else "Answer: UP, Score: 0")

    assert examined(keyed, Manners(chat=endless))["token limit"][0] == "warn"


def test_EP_23_usage_that_is_not_reported_is_a_warning(keyed: Face) -> None:
    checks = examined(keyed, Manners(chat=lambda request: played(request, usage=None)))
    assert (checks["usage"][0], checks["long prompt"][0]) == ("warn", "warn")


@pytest.mark.parametrize("context", [2048, 4096])
def test_EP_20_a_server_that_cuts_long_prompts_in_silence_is_found(keyed: Face, context: int) -> None:
    def cutting(request: Received) -> Reply:
        counted = min(tokens(messages_of(request)), context)
        return played(request, usage={"prompt_tokens": counted, "completion_tokens": 9})

    verdict, said, remedy = examined(keyed, Manners(chat=cutting), code=1)["long prompt"]
    assert (verdict, f"{context:,}" in said) == ("fail", True)
    assert "OLLAMA_CONTEXT_LENGTH" in remedy


def test_the_long_prompt_is_longer_than_what_small_servers_begin_with(keyed: Face) -> None:
    """4,096 real tokens, where a vocabulary counts 0.93 of the estimate at least."""
    for game in ("chess", "minesweeper", "snake", "tetris"):
        with Manners().serve() as server:
            assert doctor(keyed, server, "--no-samples", games=("--game", game)).exit_code == 0
            sent = [tokens(messages_of(request)) for request in chats(server)]
        assert 4096 / 0.93 < sent[1] < sent[2] <= 6500


def test_EP_20_a_server_that_drops_the_oldest_messages_is_found(keyed: Face) -> None:
    """It still serves a single long message as it is."""

    def dropping(request: Received) -> Reply:
        messages = messages_of(request)
        kept = [messages[0], messages[-1]] if len(messages) > 2 else messages
        return played(request, usage={"prompt_tokens": tokens(kept), "completion_tokens": 9})

    assert examined(keyed, Manners(chat=dropping), code=1)["long prompt"][0] == "fail"


@pytest.mark.parametrize("share", [0.7, 0.93, 1.13])
def test_a_vocabulary_of_its_own_is_no_cut(keyed: Face, share: float) -> None:
    def counting(request: Received) -> Reply:
        counted = round(share * tokens(messages_of(request)))
        return played(request, usage={"prompt_tokens": counted, "completion_tokens": 9})

    assert examined(keyed, Manners(chat=counting))["long prompt"][0] == "pass"


def test_EP_21_a_server_that_refuses_long_prompts_is_asked_on_with_short_ones(keyed: Face) -> None:
    def small(request: Received) -> Reply:
        if tokens(messages_of(request)) > 3000:
            return error(400, "This model's maximum context length is 3000 tokens.", "context_length_exceeded")
        return played(request)

    checks = examined(keyed, Manners(chat=small))
    assert (checks["long prompt"][0], checks["alternation"][0], checks["sample snake"][0]) == ("warn", "pass", "pass")


OLLAMA = {"models": [{"name": "other", "context_length": 1}, {"name": "m:latest", "context_length": 16_384}]}
STUDIO = {"data": [{"id": "m", "max_context_length": 131_072, "loaded_context_length": 16_384}]}


@pytest.mark.parametrize(
    "manners",
    [
        Manners({"data": [{"id": "m", "max_model_len": 16_384}]}),
        Manners({"data": [{"id": "m", "context_length": 16_384}]}),
        Manners(pages={"/props": {"default_generation_settings": {"n_ctx": 16_384}}}),
        Manners({"data": [{"id": "m", "context_length": 131_072}]}, {"/api/ps": OLLAMA}),
        Manners(pages={"/api/v0/models": STUDIO}),
    ],
    ids=["vllm", "openrouter", "llama.cpp", "ollama", "lm-studio"],
)
def test_the_context_is_read_where_servers_tell_it_and_the_budgets_follow(keyed: Face, manners: Manners) -> None:
    """16,384: a quarter, 4,096, for the reply; prompts fill 88% of the rest, 10,813."""
    verdict, said, remedy = examined(keyed, manners, "--protocol", "paper-1")["context"]
    assert verdict == "warn"
    for words in ("16,384", "10,813", "4,096", "100,000", "14,000"):
        assert words in said
    assert "--context-tokens 16384" in remedy
    assert examined(keyed, manners, "--protocol", "smoke-1")["context"][0] == "pass"


def test_a_context_that_is_declared_larger_than_it_is_fails(keyed: Face) -> None:
    manners = Manners(pages={"/props": {"default_generation_settings": {"n_ctx": 16_384}}})
    checks = examined(keyed, manners, "--context-tokens", "32768", code=1)
    assert checks["declared context"][2] == "--context-tokens 16384"
    declared = examined(keyed, Manners(), "--context-tokens", "8192")["context"]
    assert (declared[0], "8,192 tokens (as declared)" in declared[1]) == ("pass", True)


def test_a_context_that_is_not_told_is_said_to_be_unknown(keyed: Face) -> None:
    verdict, said, _ = examined(keyed, Manners(), "--protocol", "paper-1")["context"]
    assert (verdict, "not told" in said, "100,000" in said) == ("pass", True, True)


def test_a_context_that_is_too_small_to_play_in_fails(keyed: Face) -> None:
    manners = Manners(pages={"/props": {"default_generation_settings": {"n_ctx": 1024}}})
    assert examined(keyed, manners, code=1)["context"][0] == "fail"


def _with_message(request: Received, **message: object) -> Reply:
    text = Builtin("greedy").answer(messages_of(request), 4000).text
    whole = {"role": "assistant", "content": text, **message}
    return completion(choices=[{"index": 0, "message": whole, "finish_reason": "stop"}])


@pytest.mark.parametrize(
    ("chat", "verdict", "words"),
    [
        (lambda request: _with_message(request, reasoning_content="Hm."), "pass", "comes apart"),
        (lambda request: _with_message(request, content="", reasoning="UP it is."), "fail", "no answer beside it"),
        (played, "pass", "none is seen"),
    ],
)
def test_EP_03_where_reasoning_stands_is_told(
    keyed: Face, chat: Callable[[Received], Reply], verdict: str, words: str
) -> None:
    checks = examined(keyed, Manners(chat=chat), code=1 if verdict == "fail" else 0)
    assert checks["reasoning"][0] == verdict
    assert words in checks["reasoning"][1]


@pytest.mark.parametrize(
    ("content", "words", "remedy"),
    [
        ("<think>Hm.</think>\nAnswer: UP, Score: 0", "thinking in the text of", "reasoning parser"),
        ("analysisUp.assistantfinalAnswer: UP, Score: 0", "channels in the text of", "harmony"),
        ("Answer: UP, Score: 0<|im_end|>", "tokens of turns in the text of", "stop tokens"),
    ],
)
def test_what_a_server_hands_on_in_the_text_is_warned_of(keyed: Face, content: str, words: str, remedy: str) -> None:
    checks = examined(keyed, Manners(chat=lambda request: _with_message(request, content=content)))
    verdict, found, advice = checks["reply text"]
    assert (verdict, words in found, remedy in str(advice)) == ("warn", True, True)


def test_the_replies_are_counted_as_at_the_end_of_a_run(keyed: Face) -> None:
    twice = "Answer: LEFT, Score: 0\nAnswer: UP, Score: 0"
    verdict, found, _ = examined(keyed, Manners(chat=lambda request: _with_message(request, content=twice)))["replies"]
    assert verdict == "warn"
    assert "1 answered, 1 with another answer before the one played" in found


@pytest.mark.parametrize(
    ("text", "finish", "verdict", "words"),
    [
        ("Let me think about it", "stop", "warn", "no answer line"),
        ("Let me think about it", "length", "warn", "that is all a run allows"),
        ("", "stop", "fail", "empty"),
        ("Answer: UP", "stop", "warn", "without a self-score"),
        ("Answer: JUMP, Score: 1", "stop", "warn", "the model's own mistake"),
        ("Answer: \x1b[2J, Score: 1", "stop", "warn", "the model's own mistake"),
    ],
)
def test_SX_06_a_sample_says_how_a_reply_is_read(keyed: Face, text: str, finish: str, verdict: str, words: str) -> None:
    checks = examined(keyed, Manners(chat=lambda _: completion(text, finish)), code=1 if verdict == "fail" else 0)
    assert checks["sample snake"][0] == verdict
    assert words in " ".join(checks["sample snake"])
    assert "\x1b" not in str(checks)


def test_every_flag_that_is_wrong_is_a_failed_line_and_nothing_is_sent(keyed: Face) -> None:
    with Manners().serve() as server:
        result = doctor(keyed, server, "--protocol", "paper-9")
        assert result.exit_code == 1
        assert "fail  settings" in result.stdout
        assert server.received == []


def test_a_key_that_is_not_the_registered_one_fails(keyed: Face) -> None:
    keyed("keygen", "blue", "--out", "other", "--registry", "elsewhere")
    Path("submissions/keys/red.json").write_text(Path("elsewhere/blue.json").read_text().replace("blue", "red"))
    assert examined(keyed, Manners(), code=1)["registration"][0] == "fail"
    assert examined(keyed, Manners(), "--keys", "nowhere")["registration"][0] == "warn"
    assert examined(keyed, Manners(), "--key", "none.key", code=1)["key file"][0] == "fail"


def test_a_missing_extra_says_how_to_install_it(keyed: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "find_spec", lambda name: None if name == "openai" else machine)
    verdict, _, remedy = examined(keyed, Manners(), code=1)["extras"]
    assert (verdict, "s3gym[run]" in remedy) == ("fail", True)


def test_a_built_in_player_needs_no_endpoint(keyed: Face) -> None:
    result = keyed("doctor", "--model", "builtin:oracle", "--key", "keys/red.key", *GAME)
    assert result.exit_code == 0, result.output
    assert "pass  sample snake" in result.stdout


def test_a_clock_that_is_off_is_told(keyed: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BaseHTTPRequestHandler, "date_time_string", lambda _: "Tue, 15 Nov 1994 08:12:31 GMT")
    verdict, said, _ = examined(keyed, Manners())["endpoint clock"]
    assert verdict == "warn"
    assert re.search(r"is \+[0-9]{9,} s off", said)


SECRETS = ("sk-live-0123456789abcdef", "hunter2hunter2", "sig-9f8e7d6c5b")


def test_SX_01_SX_03_no_secret_is_printed_or_logged_whatever_the_endpoint_says(
    keyed: Face, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Key in the environment, password and signature in the URL; the endpoint repeats them all."""
    key, password, signature = SECRETS
    monkeypatch.setenv("MY_KEY", key)
    caplog.set_level(logging.DEBUG)
    echo = f"you sent {key} and {password} and {signature}"
    for chat in (
        lambda _: error(401, echo),
        lambda _: error(400, echo),
        lambda _: completion(f"{echo}\nAnswer: {key}, Score: 1", model=f"m {key}"),
        lambda _: Reply(200, f"<html>{echo}</html>".encode()),
    ):
        manners = Manners({"data": [{"id": f"m-{key}"}]}, chat=chat)
        with manners.serve() as server:
            url = server.url.replace("http://", f"http://me:{password}@") + f"/v1?sig={signature}"
            for more in ((), ("--json",)):
                result = keyed(
                    *["doctor", "--model", "m", "--base-url", url, "--key", "keys/red.key", *GAME],
                    *["--api-key-env", "MY_KEY", *more],
                )
                assert "Traceback" not in result.output
                for secret in SECRETS:
                    assert secret not in result.output
                    assert secret not in caplog.text
            assert signature in server.received[0].target


def busy(*refusals: Reply) -> Callable[[Received], Reply]:
    """Refuse every prompt at first in these ways, one after the other; then play."""
    turns: dict[str, int] = {}

    def answer(request: Received) -> Reply:
        key = json.dumps(request.body["messages"])
        turn = turns.get(key, 0)
        turns[key] = turn + 1
        return refusals[turn] if turn < len(refusals) else played(request)

    return answer


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAITS", (0.0, 0.0, 0.0))


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("refusal", [error(429, "slow down"), error(503, "loading"), error(529, "overloaded")])
def test_a_busy_endpoint_is_asked_again_and_blamed_for_nothing(keyed: Face, refusal: Reply) -> None:
    checks = examined(keyed, Manners(chat=busy(refusal, refusal)))
    assert {verdict for verdict, _, _ in checks.values()} == {"pass"}


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("refusal", "remedy"),
    [(error(429, "slow down"), "--requests-per-minute"), (error(503, "busy"), "wait, then check")],
)
def test_an_endpoint_that_stays_busy_is_no_fault_of_context_or_template(
    keyed: Face, refusal: Reply, remedy: str
) -> None:
    def long_ones(request: Received) -> Reply:
        return refusal if len(messages_of(request)) > 2 or tokens(messages_of(request)) > 3_000 else played(request)

    checks = examined(keyed, Manners(chat=long_ones), code=1)
    for check in ("long prompt", "alternation"):
        verdict, _, told = checks[check]
        assert (verdict, remedy in told) == ("fail", True)
        assert "context" not in told
        assert "template" not in told


@pytest.mark.usefixtures("hurried")
def test_a_wait_beyond_a_minute_is_not_waited_for(keyed: Face) -> None:
    with Manners(chat=lambda _: error(429, "tomorrow", retry_after="3600")).serve() as server:
        assert doctor(keyed, server).exit_code == 1
        assert len(chats(server)) == 1


def test_the_long_prompt_is_told_while_it_is_waited_for(keyed: Face) -> None:
    with Manners().serve() as server:
        shown = doctor(keyed, server)
        quiet = doctor(keyed, server, "--json")
    assert re.search(r"waiting: a prompt of about [0-9],[0-9]{3} tokens", shown.stderr)
    assert "waiting" not in quiet.stderr


def test_a_broken_certificate_file_is_one_fail_and_the_rest_is_checked(
    keyed: Face, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_url, "_is_loopback", lambda _host: False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with Manners().serve() as server:
        result = doctor(keyed, server, "--json")
        run = keyed("run", "--model", "m", "--base-url", server.url, "--key", "keys/red.key", *GAME)
    checks = found(result)
    assert result.exit_code == 1
    assert [check for check, (verdict, _, _) in checks.items() if verdict == "fail"] == ["environment"]
    assert "SSL_CERT_FILE: /nowhere/ca.pem" in checks["environment"][1]
    assert checks["sample snake"][0] == "pass"
    assert run.exit_code == 2
    assert "SSL_CERT_FILE: /nowhere/ca.pem" in run.stderr


@pytest.mark.parametrize(
    ("reply", "words"),
    [(Reply(200, b'data: {"choices": []}\n\n'), "--stream"), (completion(42), "something else than text")],
)
def test_an_answer_of_another_form_is_named_after_the_first(keyed: Face, reply: Reply, words: str) -> None:
    with Manners(chat=lambda _: reply).serve() as server:
        result = doctor(keyed, server, "--json")
        assert len(chats(server)) == 1
    verdict, _, remedy = found(result)["endpoint"]
    assert (verdict, words in remedy) == ("fail", True)
