"""A board from its root key to its tombstones, on the command line."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

from tests.s3gym.face import Face, play_greedy, refused


def signed_board(face: Face) -> Path:
    """Begin a signed board with team red, and return red's bundle."""
    bundle = play_greedy(face)
    assert face("registry", "init").exit_code == 0
    assert face("registry", "add", "board/keys/red.json").exit_code == 0
    signed = face("registry", "sign")
    assert signed.exit_code == 0, signed.output
    return bundle


def test_from_a_root_key_to_a_tombstone(face: Face) -> None:
    bundle = signed_board(face)
    assert stat.S_IMODE(Path("keys/root.key").stat().st_mode) == 0o600
    checked = face("submit", str(bundle), "--check")
    assert checked.exit_code == 0, checked.output
    assert "Nothing was written" in checked.output
    assert not Path("submissions/log.jsonl").exists()
    laid = face("submit", str(bundle))
    assert laid.exit_code == 0, laid.output
    assert "position 0 of the log" in laid.output
    root = json.loads(Path("submissions/root.json").read_text())["keyid"]
    shown = face("registry", "verify", "--root", root)
    assert shown.exit_code == 0
    assert "Version 2, 1 keys" in shown.output
    assert face("submissions", "withdraw", "e", "--reason", "a fault in our endpoint").exit_code == 0
    lines = json.loads(face("log", "show", "--json").stdout)
    assert [line["action"] for line in lines] == ["accepted", "withdrawn"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", lines[0]["claimed_time"])
    verified = face("log", "verify")
    assert verified.exit_code == 0, verified.output
    assert "2 lines, 1 bundles compared" in verified.output
    built = face("site", "build", "--out", "site")
    assert built.exit_code == 0, built.output
    assert "withdrawn by its team" in Path("site/entries/e.html").read_text()
    assert "entries/e.html" not in Path("site/index.html").read_text()


def test_a_rotation_on_the_command_line_keeps_old_entries_and_offers_the_key_that_signed_them(face: Face) -> None:
    bundle = signed_board(face)
    assert face("submit", str(bundle)).exit_code == 0
    Path("keys/red.key").rename("keys/red-old.key")
    made = face("keygen", "red", "--replaces", "keys/red-old.key", "--out", "keys")
    assert made.exit_code == 0, made.output
    refused(face("registry", "add", "keys/red.json"), 2, "has an active key")
    assert face("registry", "rotate", "keys/red.json").exit_code == 0
    assert "not signed and do not count" in face("registry", "verify").output
    assert face("registry", "sign").exit_code == 0
    assert face("log", "verify").exit_code == 0
    assert face("site", "build", "--out", "site").exit_code == 0
    assert "signed registry, version 3" in Path("site/entries/e.html").read_text()
    (offered,) = Path("site/keys").iterdir()
    offered.rename("red.json")
    Path("only").mkdir()
    Path("red.json").rename("only/red.json")
    assert face("score", "submissions/entries/e", "--keys", "only").exit_code == 0


def test_the_registry_says_what_is_wrong(face: Face) -> None:
    refused(face("registry", "verify"), 2, "registry init")
    bundle = signed_board(face)
    refused(face("registry", "init"), 2, "never begun anew")
    refused(face("registry", "sign"), 2, "expected pending changes")
    refused(face("registry", "verify", "--root", "0" * 64), 1, "root.json")
    refused(face("registry", "revoke", "blue", "--reason", "lost"), 2, "expected an active key of blue")
    assert face("registry", "revoke", "red", "--reason", "lost").exit_code == 0
    refused(face("registry", "sign", "--root-key", "keys/red.key"), 2, "root key")
    assert face("registry", "sign").exit_code == 0
    refused(face("submit", str(bundle)), 1, "active key")


def test_a_bundle_is_verified_by_the_signed_registry_of_a_board(face: Face) -> None:
    bundle = signed_board(face)
    assert face("verify", str(bundle), "--keys", "submissions").exit_code == 0
    assert face("score", str(bundle), "--keys", "submissions").exit_code == 0
    assert face("replay", str(bundle), "--keys", "submissions").exit_code == 0
    assert face("registry", "revoke", "red", "--reason", "lost").exit_code == 0
    assert face("registry", "sign").exit_code == 0
    refused(face("verify", str(bundle), "--keys", "submissions"), 1, "active key")


def test_a_tampered_board_is_refused_and_told_where(face: Face) -> None:
    bundle = signed_board(face)
    assert face("submit", str(bundle)).exit_code == 0
    log = Path("submissions/log.jsonl")
    log.write_bytes(log.read_bytes().replace(b'"red"', b'"rad"'))
    refused(face("log", "verify"), 1, "log.jsonl, line 1")
    refused(face("log", "show"), 1, "log.jsonl, line 1")
    refused(face("site", "build", "--out", "site"), 1, "log.jsonl, line 1")
    refused(face("submissions", "withdraw", "e", "--reason", "x"), 1, "log.jsonl, line 1")
    refused(face("log", "verify", "--submissions", "nowhere"), 2, "nowhere")


def test_an_unsigned_registry_is_called_unsigned_everywhere(face: Face) -> None:
    bundle = play_greedy(face)
    assert face("submit", str(bundle), "--submissions", "board").exit_code == 0
    assert "unsigned registry" in face("log", "show", "--submissions", "board").output
    assert "unsigned registry" in face("log", "verify", "--submissions", "board").output
    assert face("site", "build", "--submissions", "board", "--out", "site").exit_code == 0
    assert "Unsigned registry" in Path("site/log.html").read_text()
    assert "unsigned registry" in Path("site/entries/e.html").read_text()
