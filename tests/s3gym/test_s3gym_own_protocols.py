"""A protocol of one's own, from the run to the board, and every way in which it could pass for another one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from protocol.preset import Preset, preset_named
from protocol.rounds import preset_toml
from tests.s3gym.face import Face, play_greedy, refused

OWN = preset_named("smoke-1").model_copy(
    update={"id": "tiny-1", "title": "Tiny", "round": "tiny-1", "max_steps": 3, "rankable": True}
)
KEYS = ("--keys", "board/keys")
GIVEN = ("--protocol", "my.toml")


def write(preset: Preset, place: str = "my.toml") -> None:
    """Write the file of a protocol."""
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).write_text(preset_toml(preset), encoding="utf-8")


@pytest.fixture
def bundle(face: Face) -> Path:
    """Return the bundle of an entry under a protocol of one's own."""
    write(OWN)
    return play_greedy(face, *GIVEN)


def test_a_run_says_at_the_start_who_can_verify_it(face: Face) -> None:
    write(OWN)
    face("keygen", "red", "--registry", "board/keys")
    played = face("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", *GIVEN)
    assert played.exit_code == 0, played.output
    words = played.output
    assert "tiny-1 is not released" in words
    assert words.index("only who has my.toml") < words.index("strict x=0")
    assert "--protocol my.toml" in words[words.index("Signed bundle") :]
    released = face("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key")
    assert "anyone with this release can verify it" in released.output


def test_every_command_that_reads_a_bundle_takes_its_protocol(face: Face, bundle: Path) -> None:
    for command in (
        ("verify", str(bundle), *KEYS),
        ("score", str(bundle), *KEYS),
        ("report", str(bundle), *KEYS),
        ("replay", str(bundle), *KEYS),
        ("submit", str(bundle), "--check", "--submissions", "board"),
    ):
        refused(face(*command), 1, "tiny-1", "--protocol FILE")
        done = face(*command, *GIVEN)
        assert done.exit_code == 0, done.output
    refused(face("carried", str(bundle)), 2, "tiny-1")
    assert face("carried", str(bundle), *GIVEN).exit_code == 0


def test_results_say_whose_protocol_it_is(face: Face, bundle: Path) -> None:
    own = f"not released with s3gym, a protocol of its own: {OWN.digest[:12]}"
    assert own in " ".join(face("score", str(bundle), *KEYS, *GIVEN).output.split())
    assert own in face("report", str(bundle), *KEYS, *GIVEN).output
    assert "--protocol my.toml" in face("report", str(bundle), *KEYS, *GIVEN).output
    (entry,) = json.loads(face("score", str(bundle), *KEYS, *GIVEN, "--json").stdout)["entries"]
    assert (entry["released"], entry["protocol_digest"]) == (False, OWN.digest)


@pytest.mark.parametrize("changed", [{"max_steps": 4}, {"title": "Other"}, {"limits": None}])
def test_the_digest_binds_the_file(face: Face, bundle: Path, changed: dict[str, object]) -> None:
    if "limits" in changed:
        changed = {"limits": OWN.limits.model_copy(update={"unreliable_percent": 99})}
    other = OWN.model_copy(update=changed)
    write(other)
    refused(face("verify", str(bundle), *KEYS, *GIVEN), 1, OWN.digest, other.digest, "the very file")
    refused(face("score", str(bundle), *KEYS, *GIVEN), 1, OWN.digest)


def test_a_file_under_a_released_id_is_neither_played_nor_verified(face: Face) -> None:
    bundle = play_greedy(face)
    write(preset_named("smoke-1").model_copy(update={"max_steps": 3}))
    for command in (
        ("run", "--model", "builtin:greedy", "--key", "keys/red.key", "--entry", "x"),
        ("verify", str(bundle), *KEYS),
        ("score", str(bundle), *KEYS),
        ("carried", str(bundle)),
        ("log", "verify", "--submissions", "board"),
        ("site", "build", "--submissions", "board"),
    ):
        refused(face(*command, *GIVEN), 2, "a released preset never changes")
    assert not Path("runs/x").exists()


def test_a_protocol_inside_a_bundle_is_never_read(face: Face, bundle: Path) -> None:
    write(OWN, f"{bundle}/protocols/tiny-1.toml")
    refused(face("verify", str(bundle), *KEYS), 1, "protocols")
    refused(face("verify", str(bundle), *KEYS, *GIVEN), 1, "protocols")


def test_a_board_holds_the_protocols_of_its_own(face: Face, bundle: Path) -> None:
    refused(face("submit", str(bundle), "--submissions", "board"), 1, "tiny-1")
    write(OWN, "board/protocols/tiny-1.toml")
    assert face("submit", str(bundle), "--submissions", "board").exit_code == 0
    assert face("verify", "board/entries/e", *KEYS).exit_code == 0
    assert face("log", "verify", "--submissions", "board").exit_code == 0
    built = face("site", "build", "--submissions", "board", "--out", "site")
    assert built.exit_code == 0, built.output
    page = Path("site/entries/e.html").read_text(encoding="utf-8")
    assert f"not released with s3gym, a protocol of its own: {OWN.digest[:12]}" in page
    assert "s3gym score e --keys keys --protocol tiny-1.toml" in page
    assert "Tiny (not released)" in Path("site/index.html").read_text(encoding="utf-8")
    # What a reader downloads is what the command takes.
    shutil.copy("site/protocols/tiny-1.toml", "downloaded.toml")
    assert face("verify", "board/entries/e", *KEYS, "--protocol", "downloaded.toml").exit_code == 0


def test_a_board_that_lost_or_changed_a_protocol_no_longer_holds(face: Face, bundle: Path) -> None:
    write(OWN, "board/protocols/tiny-1.toml")
    assert face("submit", str(bundle), "--submissions", "board").exit_code == 0
    write(OWN.model_copy(update={"title": "Another"}), "board/protocols/tiny-1.toml")
    refused(face("log", "verify", "--submissions", "board"), 1, OWN.digest, "protocols/")
    refused(face("site", "build", "--submissions", "board", "--out", "site"), 1, OWN.digest)
    Path("board/protocols/tiny-1.toml").unlink()
    refused(face("log", "verify", "--submissions", "board"), 1, "a protocol that this scorer knows")


def test_a_hostile_folder_of_protocols_is_named(face: Face) -> None:
    bundle = play_greedy(face)
    write(OWN, "board/protocols/tiny-1.toml")
    write(OWN, "board/protocols/tiny-2.toml")
    for command in (
        ("submit", str(bundle), "--submissions", "board"),
        ("log", "verify", "--submissions", "board"),
        ("site", "build", "--submissions", "board", "--out", "site"),
    ):
        refused(face(*command), 1, "protocols/'tiny-2.toml'", "tiny-1.toml")


def test_an_own_protocol_is_ranked_beside_no_released_one(face: Face, bundle: Path) -> None:
    face("run", "--model", "builtin:idle", "--game", "trust", "--key", "keys/red.key", "--entry", "r")
    refused(face("compare", str(bundle), "runs/r/bundle", *KEYS, *GIVEN), 2, "different protocols cannot be compared")
    results = json.loads(face("score", str(bundle), "runs/r/bundle", *KEYS, *GIVEN, "--json").stdout)
    assert {(rank["protocol"], rank["entry"], rank["n"]) for rank in results["ranks"]} == {
        ("tiny-1", "e", 1),
        ("smoke-1", "r", 0),
    }
