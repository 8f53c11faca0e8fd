"""``s3gym carried``: what a model carries, read while it plays and afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.journal import JOURNAL, Journal, read_journal
from s3gym.carried_report import changes
from tests.s3gym.face import Face, refused

RUN = (
    "run",
    "--model",
    "builtin:learner",
    "--key",
    "keys/red.key",
    "--entry",
    "e",
    "--game",
    "snake",
    "--game",
    "trust",
)


def play(face: Face, *more: str, code: int = 0) -> Path:
    face("keygen", "red", "--registry", "board/keys")
    result = face(*RUN, *more)
    assert result.exit_code == code, result.output
    return Path("runs/e")


def test_memories_are_shown_with_what_changed(face: Face) -> None:
    folder = play(face, "--pathway", "summary")
    shown = face("carried", str(folder), "--game", "snake")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert lines[0] == "snake  4 of 4 episodes"
    assert " prompts, " in lines[1]
    assert [line.split()[1] for line in lines if line.startswith("  memory ")] == ["1", "2"]
    first, second = shown.stdout.split("  memory ")[1:]
    assert "    +Strategies to retain:" in first
    assert "    -" not in first
    assert "     Strategies to retain:" in second
    assert "trust" not in shown.stdout


def test_a_paused_run_tells_what_is_next(face: Face) -> None:
    folder = play(face, "--max-requests", "11", code=3)
    shown = face("carried", str(folder))
    assert shown.exit_code == 0, shown.output
    assert "snake  1 of 4 episodes, next: explore 0 step 6" in shown.stdout
    assert "trust  0 of 4 episodes, next: strict x=0 #0 step 0" in shown.stdout
    assert "under way" in shown.stdout


def test_it_reads_while_another_process_holds_the_folder(face: Face) -> None:
    folder = play(face, "--max-requests", "11", code=3)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with Journal.open(folder, read_journal(folder / JOURNAL).settings):
        refused(face(*RUN), 2, "another process")
        assert face("carried", str(folder)).exit_code == 0
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_a_bundle_tells_the_same_as_its_journal(face: Face, pathway: str) -> None:
    folder = play(face, "--pathway", pathway)
    journal = json.loads(face("carried", str(folder), "--json").stdout)
    bundle = json.loads(face("carried", str(folder / "bundle"), "--json").stdout)
    assert journal == bundle
    (folder / JOURNAL).unlink()
    assert json.loads(face("carried", str(folder), "--json").stdout) == bundle
    assert (journal["schema_id"], journal["entry"], journal["pathway"]) == ("s3gym-carried-1", "e", pathway)
    for game in journal["games"]:
        assert game["tokens_in"] == sum(each["tokens_in"] for each in game["carried"])
        assert game["share_served"] is None
        assert 0.5 < game["share_possible"] < 1
        assert [memory["index"] for memory in game["memories"]] == ([1, 2] if pathway == "summary" else [])


def test_the_whole_text_is_printed_as_it_is_carried(face: Face) -> None:
    folder = play(face)
    shown = face("carried", str(folder), "--game", "trust", "--at", "1")
    assert shown.stdout.startswith("Hint Messages:\nEnv: ")
    assert shown.stdout.count("LLM: Answer: ") == 8
    both = face("carried", str(folder), "--at", "1").stdout
    assert "snake, after 1 exploration episodes" in both
    assert "trust, after 1 exploration episodes" in both


def test_what_is_not_there_is_refused(face: Face) -> None:
    folder = play(face)
    refused(face("carried", str(folder), "--at", "9"), 2, "at", "0 to 2", "9")
    refused(face("carried", str(folder), "--game", "chess"), 2, "snake, trust", "chess")
    refused(face("carried", "nowhere"), 2, "nowhere", "journal.jsonl")
    data = (folder / JOURNAL).read_bytes()
    (folder / JOURNAL).write_bytes(data.replace(b'"kind":"asking"', b'"kind":"begging"', 1))
    refused(face("carried", str(folder)), 2, "line 2", "damaged")


def test_a_round_of_its_own_is_read_with_its_file(face: Face) -> None:
    face("round", "new", "smoke-2", "--from", "smoke-1")
    folder = play(face, "--protocol", "smoke-2.toml")
    refused(face("carried", str(folder)), 2, "smoke-2")
    assert face("carried", str(folder), "--protocol", "smoke-2.toml").exit_code == 0


def test_changes_are_those_of_the_lines() -> None:
    assert changes("", "a\nb") == ("@@ -0,0 +1,2 @@", "+a", "+b")
    assert changes("a\nb\nc", "a\nB\nc") == ("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c")
    assert changes("a", "a") == ()


def test_SX_06_what_a_model_remembers_drives_no_terminal(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    from runner.models import learner

    monkeypatch.setattr(learner, "tips", lambda _: "Tips:\n- \x1b[2J[bold]clear[/bold]")
    shown = face("carried", str(play(face, "--pathway", "summary")), "--game", "snake")
    assert "\x1b[2J" not in shown.stdout
    assert "\\x1b[2J[bold]clear[/bold]" in shown.stdout
