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


ROOT, REGISTRY = Path("submissions/root.json"), Path("submissions/registry.dsse.json")
FINISH = "s3gym registry exchange-root --finish"


def stopped(face: Face) -> tuple[str, str]:
    """Leave an exchange between its two files; return the ids of the old and the new root key."""
    assert face("submit", str(signed_board(face))).exit_code == 0
    before = ROOT.read_bytes()
    assert exchange(face, "keys/second.key").exit_code == 0
    after = ROOT.read_bytes()
    ROOT.write_bytes(before)
    return json.loads(before)["keyid"], json.loads(after)["keyid"]


def test_an_exchange_that_stopped_is_named_by_every_command_and_finished_by_one(face: Face) -> None:
    old, new = stopped(face)
    for command in (
        ("registry", "verify"),
        ("registry", "verify", "--root", old),
        ("registry", "add", "board/keys/red.json"),
        ("registry", "sign"),
        ("registry", "revoke", "red", "--reason", "lost"),
        ("registry", "exchange-root", "--new-root-key", "keys/third.key"),
        ("registry", "exchange-root", "--new-root-key", "keys/third.key", "--root-key", "keys/second.key"),
        ("log", "verify"),
        ("log", "show"),
        ("submissions", "withdraw", "e", "--reason", "a fault"),
        ("submit", "runs/e/bundle"),
        ("site", "build", "--out", "site"),
        ("verify", "runs/e/bundle", "--keys", "submissions"),
    ):
        refused(face(*command), 1, f"root.json: expected root key {new}", f"got {old}", "nothing is lost", FINISH)
    assert not Path("keys/third.key").exists()
    for key in ("keys/root.key", "keys/second.key"):
        Path(key).rename(f"{key}.elsewhere")
    done = face("registry", "exchange-root", "--finish")
    assert done.exit_code == 0, done.output
    assert new in done.output
    assert f"beside the old one, {old}" in done.output
    assert face("log", "verify").exit_code == 0
    assert f"compare with {new} from now on" in face("registry", "verify", "--root", old).output
    again = face("registry", "exchange-root", "--finish")
    assert again.exit_code == 0
    assert "Nothing to finish" in again.output


def test_an_exchange_that_stopped_is_finished_by_the_same_command_and_done_once(face: Face) -> None:
    _, new = stopped(face)
    kept = REGISTRY.read_bytes()
    for _ in range(2):
        done = exchange(face, "keys/second.key")
        assert done.exit_code == 0, done.output
        assert new in done.output
        assert "version 3" in done.output
        assert json.loads(ROOT.read_text())["keyid"] == new
        assert REGISTRY.read_bytes() == kept
    refused(face("registry", "exchange-root"), 2, "--new-root-key FILE, or --finish")


def test_nothing_is_finished_of_what_is_no_exchange(face: Face) -> None:
    stopped(face)
    REGISTRY.write_bytes(REGISTRY.read_bytes().replace(b'"sig":"', b'"sig":"A', 1))
    kept = (ROOT.read_bytes(), REGISTRY.read_bytes())
    result = face("registry", "exchange-root", "--finish")
    refused(result, 1, "registry.dsse.json")
    assert FINISH not in result.output
    assert (ROOT.read_bytes(), REGISTRY.read_bytes()) == kept


def test_a_registry_that_stopped_before_its_root_key_was_written_goes_on_with_that_key(face: Face) -> None:
    assert face("registry", "init").exit_code == 0
    whole = ROOT.read_bytes()
    ROOT.unlink()
    refused(face("registry", "verify"), 1, "root.json", "s3gym registry init again with the same root key")
    refused(face("registry", "init", "--root-key", "keys/none.key"), 2, "the one that signed")
    assert not Path("keys/none.key").exists()
    again = face("registry", "init")
    assert again.exit_code == 0, again.output
    assert ROOT.read_bytes() == whole
    refused(face("registry", "init"), 2, "never begun anew")


def test_changes_that_were_signed_and_not_taken_off_the_list_are_told_and_taken_off(face: Face) -> None:
    signed_board(face)
    pending = Path("submissions/registry.pending.jsonl")
    assert face("registry", "revoke", "red", "--reason", "lost").exit_code == 0
    kept = pending.read_bytes()
    assert face("registry", "sign").exit_code == 0
    version = REGISTRY.read_bytes()
    pending.write_bytes(kept)
    told = face("registry", "verify")
    assert "1 changes are signed and listed as pending: s3gym registry sign takes them off" in told.output
    assert "do not count" not in told.output
    again = face("registry", "sign")
    assert again.exit_code == 0, again.output
    assert "in version 3 already" in again.output
    assert REGISTRY.read_bytes() == version
    assert not pending.exists()


def test_a_bundle_that_lies_on_the_board_without_a_line_is_submitted_where_it_lies(face: Face) -> None:
    bundle = signed_board(face)
    assert face("submit", str(bundle)).exit_code == 0
    Path("submissions/log.jsonl").unlink()
    refused(face("site", "build", "--out", "site"), 1, "entries/'e'", "Submit it where it lies (s3gym submit)")
    refused(face("log", "verify"), 1, "Submit it where it lies (s3gym submit)")
    again = face("submit", "submissions/entries/e")
    assert again.exit_code == 0, again.output
    assert "position 0 of the log" in again.output
    assert face("log", "verify").exit_code == 0


def test_a_key_without_its_registration_gets_it_and_neither_is_ever_overwritten(face: Face) -> None:
    assert face("keygen", "red").exit_code == 0
    private, public = Path("keys/red.key"), Path("keys/red.json")
    made = (private.read_bytes(), public.read_bytes())
    refused(face("keygen", "red"), 2, "keys/red.json", "never overwritten")
    public.unlink()
    again = face("keygen", "red")
    assert again.exit_code == 0, again.output
    assert "it was there" in again.output
    assert (private.read_bytes(), public.read_bytes()) == made
    public.unlink()
    refused(face("keygen", "red", "--replaces", "keys/red.key"), 2, "expected another key than the one in keys/red.key")
    assert private.read_bytes() == made[0]
    assert not public.exists()
