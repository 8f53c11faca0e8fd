"""The command line as a user meets it: the whole way, and every wrong turn with its exit code and its words."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from protocol.bundle import list_files
from protocol.messages import Message
from runner.models.builtin import Builtin
from runner.models.model import Answer
from runner.models.weights import EmbeddedUnavailableError
from runner.serve import BuiltinServer
from s3gym import demonstration
from tests.runner.scripted import uncompressed
from tests.s3gym.face import Face, play_greedy, refused


def test_the_whole_way_from_a_key_to_a_site(face: Face) -> None:
    bundle = play_greedy(face)
    verified = face("verify", str(bundle), "--keys", "board/keys")
    assert verified.exit_code == 0, verified.output
    assert verified.output.count("passed") == 9
    assert "accepted e by red" in verified.output
    scored = face("score", str(bundle), "--keys", "board/keys")
    assert scored.exit_code == 0
    assert "protocol smoke-1 is never ranked" in scored.output
    submitted = face("submit", str(bundle), "--submissions", "board")
    assert submitted.exit_code == 0, submitted.output
    built = face("site", "build", "--submissions", "board", "--out", "site")
    assert built.exit_code == 0, built.output
    assert Path("site/index.html").is_file()
    assert Path("site/entries/e.html").is_file()


def test_json_is_for_machines(face: Face) -> None:
    bundle = play_greedy(face)
    report = json.loads(face("verify", str(bundle), "--keys", "board/keys", "--json").stdout)
    assert report["verdict"] == "accepted"
    assert [check["status"] for check in report["checks"]] == ["passed"] * 9
    results = json.loads(face("score", str(bundle), "--keys", "board/keys", "--json").stdout)
    assert {row["metric"] for row in results["rows"]} >= {"avg", "max", "auc_plus"}
    lines = face("score", str(bundle), "--keys", "board/keys", "--csv").stdout.splitlines()
    assert lines[0].startswith("scope,protocol,pathway,entry,other,game,metric,value")


def test_A03_every_flipped_byte_is_refused_with_exit_1_naming_the_file(face: Face) -> None:
    bundle = play_greedy(face)
    for name in list_files(bundle):
        path = bundle / name
        good = path.read_bytes()
        path.write_bytes(good[: len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) + good[len(good) // 2 + 1 :])
        refused(face("verify", str(bundle), "--keys", "board/keys"), 1, name)
        refused(face("score", str(bundle), "--keys", "board/keys"), 1, name)
        refused(face("submit", str(bundle), "--submissions", "board"), 1, name)
        as_json = json.loads(face("verify", str(bundle), "--keys", "board/keys", "--json").stdout)
        assert as_json["verdict"] == "refused"
        path.write_bytes(good)
    assert not Path("board/log.jsonl").exists()


def test_a_wrong_key_is_refused(face: Face) -> None:
    bundle = play_greedy(face)
    face("keygen", "red", "--out", "other", "--registry", "stranger")
    refused(face("verify", str(bundle), "--keys", "stranger"), 1, "registered key of red")


def test_a_registration_under_another_teams_name_is_refused(face: Face) -> None:
    bundle = play_greedy(face)
    face("keygen", "blue", "--out", "other", "--registry", "stranger")
    Path("stranger/red.json").write_text(Path("stranger/blue.json").read_text().replace("blue", "red"))
    refused(face("verify", str(bundle), "--keys", "stranger"), 1, "keys/red.json", "a proof about this team and key")


def test_an_unknown_team_is_refused_and_a_missing_registry_could_not_be_checked(face: Face) -> None:
    bundle = play_greedy(face)
    Path("empty").mkdir()
    refused(face("verify", str(bundle), "--keys", "empty"), 1, "keys/red.json", "no such team")
    refused(face("verify", str(bundle), "--keys", "nowhere"), 2, "nowhere")
    refused(face("verify", "nowhere", "--keys", "board/keys"), 2, "nowhere")


def test_A02_an_empty_folder_is_refused(face: Face) -> None:
    face("keygen", "red", "--registry", "board/keys")
    Path("empty").mkdir()
    refused(face("verify", "empty", "--keys", "board/keys"), 1, "bundle.dsse.json")
    refused(face("score", "empty", "--keys", "board/keys"), 1, "bundle.dsse.json")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "checkers"], ["checkers", "snake", "trust"]),
        (["--protocol", "paper-9"], ["paper-9", "paper-1", "smoke-1"]),
        (["--protocol", "nowhere.toml"], ["nowhere.toml"]),
        (["--pathway", "training"], ["training", "history", "summary"]),
        (["--summary-mode", "none"], ["none", "rebuild", "recursive"]),
        (["--model", "builtin:clever"], ["builtin:clever"]),
        (["--model", "gpt"], ["--base-url", "gpt"]),
        (["--entry", "../up"], ["../up"]),
        (["--key", "nowhere.key"], ["nowhere.key", "keygen"]),
    ],
)
def test_bad_input_is_refused_before_anything_is_played(face: Face, arguments: list[str], words: list[str]) -> None:
    face("keygen", "red")
    options = {"--model": "builtin:greedy", "--key": "keys/red.key"}
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    merged = [part for pair in ({**options, **given}).items() for part in pair]
    refused(face("run", *merged), 2, *words)
    assert not list(Path().rglob("bundle"))


def test_a_key_file_that_is_none_is_refused(face: Face) -> None:
    Path("red.key").write_text("hello")
    refused(face("run", "--model", "builtin:greedy", "--key", "red.key"), 2, "private key")


def test_an_endpoint_that_is_not_there_pauses_with_exit_3_and_nothing_is_scored(face: Face) -> None:
    face("keygen", "red", "--registry", "board/keys")
    arguments = ["run", "--model", "greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e"]
    with BuiltinServer() as server:
        url = server.base_url
    paused = face(*arguments, "--base-url", url)
    refused(paused, 3, "paused", "Nothing is scored", "runs/e")
    assert not Path("runs/e/bundle").exists()


def test_the_built_in_models_play_the_same_over_http_as_in_process(face: Face) -> None:
    """SG-09 too: one signing code, whoever plays."""
    direct = uncompressed(play_greedy(face))
    with BuiltinServer() as server:
        result = face(
            *["run", "--model", "greedy", "--base-url", server.base_url, "--game", "trust", "--key", "keys/red.key"],
            *["--entry", "http"],
        )
    assert result.exit_code == 0, result.output
    assert uncompressed(Path("runs/http/bundle")) == direct
    assert face("verify", "runs/http/bundle", "--keys", "board/keys").exit_code == 0


def test_a_finished_run_is_not_played_over(face: Face) -> None:
    play_greedy(face)
    again = face("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e")
    refused(again, 2, "finished")


def test_another_setting_in_the_same_folder_is_refused_by_name(face: Face) -> None:
    play_greedy(face)
    Path("runs/e/bundle").rename("runs/e/old")
    other = face(
        *["run", "--model", "builtin:idle", "--game", "trust", "--key", "keys/red.key", "--entry", "e"],
    )
    refused(other, 2, "builtin greedy", "builtin idle")


def test_the_private_key_is_the_owners_alone_and_never_overwritten(face: Face) -> None:
    made = face("keygen", "red")
    assert made.exit_code == 0
    key = Path("keys/red.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    before = key.read_bytes()
    refused(face("keygen", "red"), 2, "never overwritten")
    assert key.read_bytes() == before
    assert b"PRIVATE" not in Path("keys/red.json").read_bytes()


@pytest.mark.parametrize("team", ["Red", "red team", "../red", "", "r" * 65])
def test_RN_13_a_team_name_that_is_no_safe_file_name_is_refused(face: Face, team: str) -> None:
    refused(face("keygen", team), 2, "team")
    assert not list(Path().rglob("*.key"))


def test_SX_01_the_private_key_is_in_no_file_of_a_run(face: Face) -> None:
    play_greedy(face)
    secret = Path("keys/red.key").read_bytes().split(b"\n")[1]
    for path in Path("runs").rglob("*"):
        if path.is_file():
            assert secret not in path.read_bytes()


def test_SX_03_the_endpoint_and_its_key_are_in_no_file_of_a_run(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret-0123456789")
    face("keygen", "red", "--registry", "board/keys")
    with BuiltinServer() as server:
        result = face(
            *["run", "--model", "greedy", "--base-url", server.base_url, "--game", "trust", "--key", "keys/red.key"],
            *["--entry", "e", "--api-key-env", "MY_KEY"],
        )
    assert result.exit_code == 0, result.output
    assert "sk-very-secret" not in result.output
    for path in Path("runs").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert b"sk-very-secret" not in data
            assert b"127.0.0.1" not in data


def test_a_new_round_is_played_and_verified_from_its_file(face: Face) -> None:
    made = face("round", "new", "smoke-2", "--from", "smoke-1")
    assert made.exit_code == 0, made.output
    bundle = play_greedy(face, "--protocol", "smoke-2.toml")
    refused(face("verify", str(bundle), "--keys", "board/keys"), 1, "smoke-2")
    accepted = face("verify", str(bundle), "--keys", "board/keys", "--protocol", "smoke-2.toml")
    assert accepted.exit_code == 0, accepted.output


def test_a_released_round_is_never_made_again(face: Face) -> None:
    refused(face("round", "new", "paper-1", "--from", "smoke-1"), 2, "released")
    face("round", "new", "smoke-2", "--from", "smoke-1")
    refused(face("round", "new", "smoke-2", "--from", "smoke-1"), 2, "smoke-2.toml")
    refused(face("round", "new", "Bad Id", "--from", "smoke-1"), 2, "Bad Id")


def test_help_teaches(face: Face) -> None:
    for command in (
        [],
        ["run"],
        ["verify"],
        ["score"],
        ["compare"],
        ["report"],
        ["site", "build"],
        ["play"],
        ["games"],
        ["replay"],
    ):
        result = face(*command, "--help")
        assert result.exit_code == 0
        assert "Usage" in result.output
    assert "s3gym" in face("--version").output


def test_a_site_that_was_not_built_is_not_served(face: Face) -> None:
    refused(face("site", "serve", "--site", "nowhere"), 2, "site build")


def test_the_site_of_an_empty_board_is_built(face: Face) -> None:
    Path("board/keys").mkdir(parents=True)
    result = face("site", "build", "--submissions", "board", "--out", "site")
    assert result.exit_code == 0, result.output
    assert "294" in Path("site/published.html").read_text() or Path("site/published.html").is_file()


def test_the_demo_goes_on_without_the_embedded_model(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise EmbeddedUnavailableError("not installed here")

    monkeypatch.setattr(demonstration, "find_embedded", missing)
    result = face("demo", "--out", "demo", "--site", "site")
    assert result.exit_code == 0, result.output
    assert "Going on without the embedded model" in result.output
    assert result.output.count("signed, verified by replay, submitted") == 4
    assert Path("site/index.html").is_file()
    again = face("demo", "--out", "demo", "--site", "site")
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize("missing", ["jinja2", "plotly"])
def test_the_demo_and_the_site_ask_for_what_they_lack_before_anything_is_done(
    face: Face, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """Who installed the core alone learns it at once, and not after everything was played or verified."""
    Path("board/keys").mkdir(parents=True)
    monkeypatch.setitem(sys.modules, missing, None)
    for command in (("demo", "--out", "demo", "--site", "site"), ("site", "build", "--submissions", "board")):
        refused(face(*command), 2, f"{missing} is not installed", "pip install 's3gym[site]'")
    assert {path.name for path in Path().iterdir()} == {"board"}


def test_the_demo_never_deletes_what_it_did_not_make(face: Face) -> None:
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("years of work")
    refused(face("demo", "--out", "mine"), 2, "mine")
    assert Path("mine/thesis.txt").read_text() == "years of work"


def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    face("keygen", "red", "--registry", "board/keys")
    arguments = ["run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e"]
    ask, asked = Builtin.ask, []

    async def interrupted(self: Builtin, messages: list[Message], max_tokens: int) -> Answer:
        asked.append(messages)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return await ask(self, messages, max_tokens)

    monkeypatch.setattr(Builtin, "ask", interrupted)
    stopped = face(*arguments)
    refused(stopped, 130, "stopped", "same command")
    assert face(*arguments).exit_code == 0
    assert len(asked) == 4 * 8 + 1
    assert face("verify", "runs/e/bundle", "--keys", "board/keys").exit_code == 0


def test_an_estimate_sends_and_plays_nothing_and_needs_no_key(face: Face) -> None:
    Path("prices.toml").write_text('["m"]\ninput = 2.5\ncached_input = 0.25\noutput = 10\n')
    arguments = ["run", "--model", "m", "--base-url", "http://127.0.0.1:9", "--game", "trust", "--estimate"]
    shown = face(*arguments)
    assert shown.exit_code == 0
    assert "Nothing was sent" in shown.output
    assert not Path("runs").exists()
    told = json.loads(face(*arguments, "--prices", "prices.toml", "--json").stdout)
    assert (told["currency"], [each["game"] for each in told["games"]]) == ("USD", ["trust"])
    total = told["total"]
    assert total["requests"] == total["most_requests"] == 4 * 8
    fresh, cached = total["tokens_in"] - total["tokens_cacheable"], total["tokens_cacheable"]
    assert total["cost"] == pytest.approx((fresh * 2.5 + cached * 0.25 + 32 * 400 * 10) / 1e6, abs=1e-4)


def test_a_bound_pauses_the_run_and_says_how_to_go_on(face: Face) -> None:
    face("keygen", "red", "--registry", "board/keys")
    arguments = ["run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e"]
    stopped = face(*arguments, "--max-requests", "7")
    refused(stopped, 3, "7 requests were sent", "--max-requests", "So far: 7 requests")
    refused(face(*arguments, "--max-cost", "1"), 2, "--prices")
    done = face(*arguments)
    assert done.exit_code == 0
    assert "Took 32 requests" in done.stderr
