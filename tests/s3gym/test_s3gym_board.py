"""A board from its root key to its tombstones, on the command line."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

from typer.testing import Result

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


def exchange(face: Face, new: str, *more: str) -> Result:
    return face("registry", "exchange-root", "--new-root-key", new, *more)


def test_a_root_key_is_exchanged_and_who_knows_the_old_one_is_told(face: Face) -> None:
    bundle = signed_board(face)
    assert face("submit", str(bundle)).exit_code == 0
    old = json.loads(Path("submissions/root.json").read_text())["keyid"]
    done = exchange(face, "keys/second.key")
    assert done.exit_code == 0, done.output
    new = json.loads(Path("submissions/root.json").read_text())["keyid"]
    assert new != old
    assert new in done.output
    assert "version 3" in done.output
    assert stat.S_IMODE(Path("keys/second.key").stat().st_mode) == 0o600
    told = face("registry", "verify", "--root", old)
    assert told.exit_code == 0, told.output
    assert f"Root key {old} gave way to {new} with version 3; both signed." in told.output
    assert f"compare with {new} from now on" in told.output
    assert "from now on" not in face("registry", "verify", "--root", new).output
    assert "from now on" not in face("registry", "verify").output
    refused(face("registry", "verify", "--root", "0" * 64), 1, "no exchange leads", "Do not trust")
    assert face("log", "verify").exit_code == 0
    assert face("site", "build", "--out", "site").exit_code == 0
    assert new in Path("site/log.html").read_text()
    assert f"{old} before version 3" in Path("site/log.html").read_text()
    assert face("submissions", "withdraw", "e", "--reason", "a fault").exit_code == 0
    assert exchange(face, "keys/third.key", "--root-key", "keys/second.key").exit_code == 0
    followed = face("registry", "verify", "--root", old).output
    assert followed.count("gave way to") == 2
    assert face("log", "verify").exit_code == 0


def test_after_an_exchange_the_old_root_key_signs_nothing(face: Face) -> None:
    signed_board(face)
    assert exchange(face, "keys/second.key").exit_code == 0
    assert face("registry", "revoke", "red", "--reason", "lost").exit_code == 0
    refused(face("registry", "sign"), 2, "root key")
    refused(exchange(face, "keys/third.key"), 2, "registry.pending.jsonl")
    assert face("registry", "sign", "--root-key", "keys/second.key").exit_code == 0
    refused(exchange(face, "keys/third.key"), 2, "root key: expected key")
    assert not Path("keys/third.key").exists()


def test_a_root_key_is_not_exchanged_where_something_is_wrong(face: Face) -> None:
    bundle = signed_board(face)
    refused(exchange(face, "keys/new.key", "--root-key", "keys/none.key"), 2, "found none at keys/none.key")
    refused(exchange(face, "keys/red.key"), 2, "a team's key")
    refused(exchange(face, "keys/root.key"), 2, "was a root key")
    assert face("submit", str(bundle)).exit_code == 0
    kept = {path: path.read_bytes() for path in (Path("submissions/root.json"), Path("submissions/registry.dsse.json"))}
    Path("submissions/entries/e/README.md").write_text("words")
    refused(exchange(face, "keys/new.key"), 1, "entries/e")
    assert not Path("keys/new.key").exists()
    assert {path: path.read_bytes() for path in kept} == kept


def test_a_board_whose_registry_was_rolled_back_behind_an_exchange_is_refused_by_who_knows_the_new_key(
    face: Face,
) -> None:
    """No line of the log names the new key yet: then only the key id that a reader knows tells."""
    signed_board(face)
    kept = {name: Path("submissions", name).read_bytes() for name in ("root.json", "registry.dsse.json")}
    assert exchange(face, "keys/second.key").exit_code == 0
    new = json.loads(Path("submissions/root.json").read_text())["keyid"]
    for name, data in kept.items():
        Path("submissions", name).write_bytes(data)
    assert face("registry", "verify").exit_code == 0
    refused(face("registry", "verify", "--root", new), 1, "no exchange leads", "Do not trust")


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
