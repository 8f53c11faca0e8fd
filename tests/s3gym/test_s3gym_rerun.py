"""An organiser's re-run, end to end over loopback: fresh seeds, the entry's own carried text, a signed confirmation."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from protocol.decoding import without_secrets
from protocol.preset import preset_named
from protocol.records import EpisodeRecord
from protocol.schedule import explore_seeds, seed_of, strict_seeds
from protocol.strictjson import read_record
from runner.serve import BuiltinServer
from scoring import confirmation
from scoring.board import open_board
from scoring.confirmation import (
    Confirmation,
    fresh_preset,
)
from scoring.confirming import read_confirmation
from scoring.starts import start_of
from scoring.verified import VerifiedBundle
from scoring.verify import verify
from tests.s3gym.face import Face, refused

ENTRY = Path("submissions/entries/e")
PLACE = Path("submissions/confirmations/e/check-1")


def board(face: Face, *more: str, model: str = "learner") -> None:
    """Make a signed board with one entry of two games."""
    face("keygen", "red")
    assert face("registry", "init").exit_code == 0
    assert face("registry", "add", "keys/red.json").exit_code == 0
    assert face("registry", "sign").exit_code == 0
    played = face(
        *["run", "--model", f"builtin:{model}", "--game", "snake", "--game", "trust", "--key", "keys/red.key"],
        *["--entry", "e", *more],
    )
    assert played.exit_code == 0, played.output
    laid = face("submit", "runs/e/bundle")
    assert laid.exit_code == 0, laid.output


def command(server: BuiltinServer, *more: str, model: str = "learner") -> list[str]:
    url = ["--base-url", server.base_url, "--model", model]
    return ["rerun", str(ENTRY), *url, "--round", "check-1", "--episodes", "3", *more]


def verified() -> VerifiedBundle:
    return verify(ENTRY, open_board(Path("submissions")).keyring.at(0))


def read() -> Confirmation:
    roots = open_board(Path("submissions")).keyring.roots
    assert roots is not None
    return read_confirmation(PLACE, roots, verified())


def stored(game: str) -> list[EpisodeRecord]:
    content = gzip.decompress((PLACE / "episodes" / f"{game}.jsonl.gz").read_bytes())
    return [read_record(EpisodeRecord, line, game) for line in content.splitlines()]


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_an_entry_is_asked_again_on_fresh_seeds_with_what_it_carried(face: Face, pathway: str) -> None:
    board(face, "--pathway", pathway)
    with BuiltinServer() as server:
        done = face(*command(server))
    assert done.exit_code == 0, done.output
    found = read()
    preset = preset_named("smoke-1")
    assert (found.entry, found.round, found.checkpoint) == ("e", "check-1", preset.checkpoints[-1])
    assert (found.endpoint.kind, found.endpoint.model) == ("openai_chat", "learner")
    for game in found.games:
        records = stored(game.game)
        seeds = [int(record.seed) for record in records]
        assert len(seeds) == 3
        assert not set(seeds) & {*explore_seeds(preset, game.game), *strict_seeds(preset, game.game)}
        if preset.games[game.game].strict_strata == 1:
            assert seeds == [seed_of("check-1", game.game, "strict", index) for index in range(3)]
        assert game.scores == tuple(record.score for record in records)
        assert game.mean == pytest.approx(sum(game.scores) / 3)
        last = [each for each in verified().manifest.checkpoints if each.game == game.game][-1]
        assert (game.claimed, game.claimed_episodes) == (last.score, last.valid)


def test_the_confirmation_stands_on_the_entrys_page_and_what_was_not_re_run_says_so(face: Face) -> None:
    board(face)
    assert face("site", "build", "--out", "site").exit_code == 0
    assert "Not re-run" in Path("site/entries/e.html").read_text()
    with BuiltinServer() as server:
        assert face(*command(server)).exit_code == 0
    assert face("site", "build", "--out", "site").exit_code == 0
    page = Path("site/entries/e.html").read_text()
    assert "Not re-run" not in page
    assert "Re-run" in page
    assert "round check-1" in page
    assert json.loads(Path("site/confirmations/e/check-1.json").read_text())["round"] == "check-1"
    assert face("log", "verify").exit_code == 0


def test_a_re_run_goes_on_where_it_was_stopped_and_asks_nothing_twice(face: Face) -> None:
    board(face)
    with BuiltinServer() as server:
        paused = face(*command(server, "--max-requests", "5"))
        refused(paused, 3, "paused", "--max-requests")
        assert not PLACE.exists()
        assert face(*command(server)).exit_code == 0
    steps = sum(len(record.steps) for game in ("snake", "trust") for record in stored(game))
    lines = [json.loads(line) for line in Path("runs/rerun-e-check-1/journal.jsonl").read_text().splitlines()]
    assert sum(line["kind"] == "asking" for line in lines) == steps


def test_the_same_model_gives_the_same_replies_as_the_entry_on_the_entrys_prompts(face: Face) -> None:
    """A deterministic model in process and over HTTP: two re-runs under one round are equal, byte for byte."""
    board(face, model="greedy")
    with BuiltinServer() as server:
        assert face(*command(server, model="greedy")).exit_code == 0
    first = {path.name: gzip.decompress(path.read_bytes()) for path in (PLACE / "episodes").iterdir()}
    PLACE.rename("first")
    assert face(
        "rerun", str(ENTRY), "--model", "builtin:greedy", "--round", "check-1", "--episodes", "3", "--out", "runs/again"
    ).exit_code == 0  # fmt: skip
    assert {path.name: gzip.decompress(path.read_bytes()) for path in (PLACE / "episodes").iterdir()} == first


def test_who_may_not_re_run_and_what_may_not_be_re_run(face: Face) -> None:
    board(face)
    with BuiltinServer() as server:
        refused(face(*command(server, "--root-key", "keys/red.key")), 2, "root key")
        refused(face(*command(server)[:-4], "--round", "smoke-1"), 2, "expected a fresh one")
        refused(face("rerun", "runs/e/bundle", *command(server)[2:]), 2, "an entry of the board")
        assert face(*command(server)).exit_code == 0
        refused(face(*command(server)), 2, "check-1", "no confirmation of this round yet")
    face("submissions", "withdraw", "e", "--reason", "a fault")
    with BuiltinServer() as server:
        refused(face(*command(server)[:-4], "--round", "check-2"), 2, "stands or is held")


def test_a_confirmation_that_was_changed_is_refused_by_the_log_check_and_the_site(face: Face) -> None:
    board(face)
    with BuiltinServer() as server:
        assert face(*command(server)).exit_code == 0
    for path in sorted(PLACE.rglob("*.*")):
        data = path.read_bytes()
        path.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
        refused(face("log", "verify"), 1, "confirmations/e/check-1/")
        refused(face("site", "build", "--out", "site"), 1, "confirmations/e/check-1/")
        told = json.loads(face("log", "verify", "--json").stdout)
        assert [fault["code"] for fault in told["faults"]] == ["log"]
        path.write_bytes(data)
    assert face("site", "build", "--out", "site").exit_code == 0
    told = json.loads(face("log", "verify", "--json").stdout)
    assert (told["verdict"], told["confirmations"], told["faults"]) == ("holds", 1, [])


def test_a_re_run_stays_after_the_root_key_was_exchanged_and_the_next_one_takes_the_new_key(face: Face) -> None:
    board(face)
    with BuiltinServer() as server:
        assert face(*command(server)).exit_code == 0
        assert face("registry", "exchange-root", "--new-root-key", "keys/second.key").exit_code == 0
        assert read().round == "check-1"
        again = [*command(server)[:-4], "--round", "check-2", "--episodes", "3"]
        refused(face(*again), 2, "root key")
        assert face(*again, "--root-key", "keys/second.key").exit_code == 0
    told = json.loads(face("log", "verify", "--json").stdout)
    assert (told["verdict"], told["confirmations"]) == ("holds", 2)
    assert face("site", "build", "--out", "site").exit_code == 0


def test_a_withdrawn_entry_leaves_its_re_runs_to_be_removed(face: Face) -> None:
    board(face)
    with BuiltinServer() as server:
        assert face(*command(server)).exit_code == 0
    left = face("submissions", "withdraw", "e", "--reason", "a fault")
    assert "remove submissions/confirmations/e" in left.output
    refused(face("log", "verify"), 1, "confirmations/e", "one that is withdrawn")
    refused(face("site", "build", "--out", "site"), 1, "confirmations/e", "one that is withdrawn")


def test_a_round_with_a_level_that_was_played_before_is_refused(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    """A13: disjoint seeds can still give equal levels."""
    board(face)
    bundle = verified()
    assert fresh_preset(bundle, "check-1", 3).round == "check-1"
    level = next(each.record.layout_digest for each in bundle.runs[0].episodes if each.record.phase == "explore")
    monkeypatch.setattr(confirmation, "start_of", lambda *asked: start_of(*asked)._replace(layout_digest=level))
    with pytest.raises(ValueError, match="a level of snake was played before"):
        fresh_preset(bundle, "check-1", 1)


def test_what_a_team_wrote_goes_out_with_the_organisers_key_only_when_they_say_so(
    face: Face, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A header whose value is the team's secret is nobody else's to send."""
    monkeypatch.setenv("NOTE", "a secret of the team")
    with BuiltinServer() as server:
        at = ["--base-url", server.base_url, "--model", "learner"]
        extras = ["--top-p", "0.5", "--extra-body", "top_k=20", "--extra-header", "x-note=env:NOTE"]
        board(face, *at, *extras)
        monkeypatch.delenv("NOTE")
        refused(face(*command(server)), 2, "--send-extras", "body top_k: 20")
        again = face(*command(server, "--send-extras"))
    assert again.exit_code == 0, again.output
    told = verified().manifest.decoding
    assert [each.value for each in told.extra_headers] == [None]
    assert read().decoding == without_secrets(told)
