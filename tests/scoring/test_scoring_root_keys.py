"""The exchange of the root key: both keys sign, the chain has no hole and no way back, and the log agrees with it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.errors import BundleError
from protocol.records import Content
from protocol.signing import EnvelopeRecord, generate_key, keyid_of, load_key, make_envelope, sign, team_key
from protocol.strictjson import write_record
from scoring.acceptance import LOG, head_of, read_log
from scoring.board import open_board
from scoring.confirmation import CONFIRMATION
from scoring.confirmed import signed_by
from scoring.log_check import check_board
from scoring.registry import open_keyring
from scoring.root_keys import EXCHANGE_TYPE, RootExchange, RootKey, RootLink, check_links, root_of, sign_exchange
from scoring.signed_registry import (
    REGISTRY,
    REGISTRY_TYPE,
    ROOT,
    Change,
    LogEnd,
    RegistryRecord,
    SignedRegistry,
    applied,
    exchanged,
    read_registry,
    read_root,
    sign_registry,
)
from scoring.submitting import change_entry, submit
from tests.bundles import KEY, TEAM, Board
from tests.scoring.reruns import ROOT_KEY as FIRST
from tests.scoring.reruns import Reruns

SECOND, THIRD, STRANGER = (load_key(generate_key()) for _ in range(3))
RED = team_key(TEAM, KEY)
START = LogEnd(0, "0" * 64)
ZERO = bytes(32)
"""A public key of order 2: one signature of it fits many messages."""


def lay(folder: Path, record: RegistryRecord, key: Ed25519PrivateKey) -> Path:
    """Write a registry as it stands, whatever its readers will say of it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ROOT).write_bytes(write_record(root_of(key)) + b"\n")
    (folder / REGISTRY).write_bytes(sign(write_record(record), key, REGISTRY_TYPE))
    return folder


def begun(folder: Path) -> Path:
    """Lay version 1, signed by the first key."""
    return lay(folder, RegistryRecord(version=1, root=root_of(FIRST).keyid, keys=(RED,)), FIRST)


def registry_of(folder: Path) -> SignedRegistry:
    return read_registry(folder, read_root(folder))


def exchange(folder: Path, old: Ed25519PrivateKey, new: Ed25519PrivateKey) -> RegistryRecord:
    """Exchange the root key of a board as its organisers do."""
    lines = read_log(folder / LOG)
    end = LogEnd(len(lines), head_of(lines))
    record = exchanged(registry_of(folder), old, new, end, signed_by(open_board(folder), root_of(old).keyid))
    (folder / REGISTRY).write_bytes(sign_registry(record, new))
    (folder / ROOT).write_bytes(write_record(root_of(new)) + b"\n")
    return record


def test_an_exchange_is_the_next_version_changes_no_team_key_and_is_read(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    before = registry_of(folder)
    record = exchange(folder, FIRST, SECOND)
    assert (record.version, record.keys) == (2, before.record.keys)
    roots = registry_of(folder).roots
    assert roots.current == root_of(SECOND)
    (each,) = roots.exchanges
    assert (each.old, each.new, each.version, each.follows) == (root_of(FIRST), root_of(SECOND), 2, before.digest)
    words = open_keyring(folder).words
    assert words.endswith(f"root key {root_of(SECOND).keyid}; {root_of(FIRST).keyid} before version 2")


def test_who_knows_any_key_of_the_chain_is_led_to_the_current_one(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    exchange(folder, FIRST, SECOND)
    exchange(folder, SECOND, THIRD)
    roots = registry_of(folder).roots
    ids = [root_of(key).keyid for key in (FIRST, SECOND, THIRD)]
    led = [roots.since(keyid) for keyid in ids]
    assert [None if each is None else [step.new.keyid for step in each] for each in led] == [ids[1:], ids[2:], []]
    assert roots.since(root_of(STRANGER).keyid) is None
    assert [roots.at(version) for version in (1, 2, 3, 99)] == [ids[0], ids[1], ids[2], ids[2]]


def test_team_keys_change_after_an_exchange_as_before(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    record = exchange(folder, FIRST, SECOND)
    blue = team_key("blue", STRANGER)
    changed = applied(record, Change(kind="add", team="blue", key=blue), 0).model_copy(update={"version": 3})
    (folder / REGISTRY).write_bytes(sign_registry(changed, SECOND))
    assert [key.team for key in registry_of(folder).record.keys] == [TEAM, "blue"]
    with pytest.raises(ValueError, match="root key"):
        sign_registry(changed, FIRST)


@pytest.mark.parametrize("new", [FIRST, SECOND, KEY], ids=["the-first", "the-current", "a-teams"])
def test_a_key_that_was_used_before_does_not_become_the_root_key(new: Ed25519PrivateKey, tmp_path: Path) -> None:
    folder = begun(tmp_path)
    exchange(folder, FIRST, SECOND)
    with pytest.raises(ValueError, match="new root key"):
        exchanged(registry_of(folder), SECOND, new, START)


def test_only_the_root_key_names_its_successor(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="root key: expected"):
        exchanged(registry_of(begun(tmp_path)), STRANGER, SECOND, START)


def test_no_team_registers_a_key_that_became_a_root_key(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    record = exchange(folder, FIRST, SECOND)
    with pytest.raises(BundleError, match="which is a team's"):
        applied(record, Change(kind="add", team="blue", key=team_key("blue", SECOND)), 0)


def step(old: Ed25519PrivateKey, new: Ed25519PrivateKey, version: int) -> RootExchange:
    return RootExchange(
        old=root_of(old),
        new=root_of(new),
        version=version,
        follows="1" * 64,
        position=0,
        head=START.head,
        confirmations=(),
    )


def link(old: Ed25519PrivateKey, new: Ed25519PrivateKey, version: int) -> RootLink:
    return sign_exchange(step(old, new, version), old, new)


def said(words: RootExchange, consent: Ed25519PrivateKey, proof: Ed25519PrivateKey) -> RootLink:
    return sign_exchange(words, consent, proof)


def two_words() -> RootLink:
    """Let each key sign an exchange of its own."""
    one, other = link(FIRST, SECOND, 2), link(FIRST, SECOND, 3)
    return RootLink(consent=one.consent, proof=other.proof)


def of_another_kind() -> RootLink:
    payload = write_record(step(FIRST, SECOND, 2))
    made = [make_envelope(payload, key, REGISTRY_TYPE) for key in (FIRST, SECOND)]
    return RootLink(consent=made[0], proof=made[1])


def renamed(envelope: EnvelopeRecord, keyid: str) -> EnvelopeRecord:
    """Say of a signature that another key made it."""
    (signature,) = envelope.signatures
    return envelope.model_copy(update={"signatures": (signature.model_copy(update={"keyid": keyid}),)})


def in_anothers_name(field: str, key: Ed25519PrivateKey) -> RootLink:
    """Let a stranger sign one side, under the id of the key that had to."""
    good = link(FIRST, SECOND, 2)
    forged = make_envelope(write_record(step(FIRST, SECOND, 2)), STRANGER, EXCHANGE_TYPE)
    return good.model_copy(update={field: renamed(forged, root_of(key).keyid)})


def moved(field: str) -> RootLink:
    """Put the true signature of one side on another exchange under this one."""
    good, other = link(FIRST, SECOND, 2), link(FIRST, SECOND, 3)
    own, its = (good.consent, other.consent) if field == "consent" else (good.proof, other.proof)
    return good.model_copy(update={field: own.model_copy(update={"signatures": its.signatures})})


def with_new(new: RootKey) -> RootLink:
    words = step(FIRST, SECOND, 2).model_copy(update={"new": new})
    return said(words, FIRST, SECOND)


def weak() -> RootLink:
    public = ZERO.hex()
    return with_new(RootKey.model_construct(keyid=keyid_of(ZERO), public_key=public, schema_id="s3gym-root-1"))


class Chain(NamedTuple):
    """A chain that must be refused."""

    name: str
    links: Callable[[], tuple[RootLink, ...]]
    says: str
    root: Ed25519PrivateKey = SECOND
    version: int = 9


BAD = (
    Chain("consent-by-a-stranger", lambda: (said(step(FIRST, SECOND, 2), STRANGER, SECOND),), "by the old key"),
    Chain("consent-by-the-new-key", lambda: (said(step(FIRST, SECOND, 2), SECOND, SECOND),), "by the old key"),
    Chain("proof-by-the-old-key", lambda: (said(step(FIRST, SECOND, 2), FIRST, FIRST),), "by the new key"),
    Chain("proof-by-a-stranger", lambda: (said(step(FIRST, SECOND, 2), FIRST, STRANGER),), "by the new key"),
    Chain("consent-in-anothers-name", lambda: (in_anothers_name("consent", FIRST),), "does not match"),
    Chain("proof-in-anothers-name", lambda: (in_anothers_name("proof", SECOND),), "does not match"),
    Chain("consent-to-another-exchange", lambda: (moved("consent"),), "does not match"),
    Chain("proof-of-another-exchange", lambda: (moved("proof"),), "does not match"),
    Chain("each-signed-other-words", lambda: (two_words(),), "the same words"),
    Chain("signed-as-another-kind", lambda: (of_another_kind(),), "payloadType"),
    Chain("id-of-another-key", lambda: (with_new(root_of(SECOND).model_copy(update={"keyid": "2" * 64})),), "keyid"),
    Chain("weak-key", lambda: (weak(),), "point of large order"),
    Chain("hole", lambda: (link(FIRST, SECOND, 2), link(STRANGER, THIRD, 3)), "an exchange that leaves", THIRD),
    Chain("link-left-out", lambda: (link(FIRST, SECOND, 2), link(THIRD, STRANGER, 4)), "that leaves", STRANGER),
    Chain("order-turned", lambda: (link(SECOND, THIRD, 3), link(FIRST, SECOND, 2)), "that leaves", SECOND),
    Chain("back-to-the-first", lambda: (link(FIRST, SECOND, 2), link(SECOND, FIRST, 3)), "a root key before", FIRST),
    Chain("to-itself", lambda: (link(FIRST, FIRST, 2),), "a root key before", FIRST),
    Chain("to-a-teams-key", lambda: (link(FIRST, KEY, 2),), "which is a team's", KEY),
    Chain("same-version-twice", lambda: (link(FIRST, SECOND, 2), link(SECOND, THIRD, 2)), "a version after 2", THIRD),
    Chain("version-going-back", lambda: (link(FIRST, SECOND, 5), link(SECOND, THIRD, 4)), "a version after 5", THIRD),
    Chain("before-the-first-version", lambda: (link(FIRST, SECOND, 1),), "a version after 1"),
    Chain("registry-rolled-back", lambda: (link(FIRST, SECOND, 5),), "version 5 of the last exchange", SECOND, 4),
    Chain("another-root", lambda: (link(FIRST, SECOND, 2),), "of the last exchange", THIRD),
    Chain("signed-by-the-old-root", lambda: (link(FIRST, SECOND, 2),), "of the last exchange", FIRST),
)


@pytest.mark.parametrize("chain", BAD, ids=lambda chain: chain.name)
def test_a_bad_chain_is_neither_read_nor_signed(chain: Chain, tmp_path: Path) -> None:
    record = RegistryRecord(version=chain.version, root=root_of(chain.root).keyid, keys=(RED,), links=chain.links())
    with pytest.raises(BundleError) as caught:
        open_keyring(lay(tmp_path, record, chain.root))
    assert chain.says in str(caught.value)
    assert caught.value.file.startswith(REGISTRY)
    assert str(caught.value).isprintable()
    with pytest.raises(BundleError):
        sign_registry(record, chain.root)


def test_good_chains_of_the_same_making_hold() -> None:
    for links, root, version in (
        ((), FIRST, 1),
        ((link(FIRST, SECOND, 2),), SECOND, 2),
        ((link(FIRST, SECOND, 2), link(SECOND, THIRD, 5)), THIRD, 7),
    ):
        found = check_links(links, root_of(root).keyid, version, {RED.keyid}, REGISTRY)
        assert len(found) == len(links)


@pytest.mark.parametrize("missing", ["consent", "proof"])
def test_an_exchange_without_one_of_its_signatures_is_none(missing: str, tmp_path: Path) -> None:
    record = RegistryRecord(version=2, root=root_of(SECOND).keyid, keys=(RED,), links=(link(FIRST, SECOND, 2),))
    payload = record.model_copy(
        update={"links": tuple(each.model_copy(update={missing: None}) for each in record.links)}
    )
    for content in (payload.model_dump_json(), payload.model_dump_json(exclude_none=True)):
        lay(tmp_path, record, SECOND)
        (tmp_path / REGISTRY).write_bytes(sign(content.encode(), SECOND, REGISTRY_TYPE))
        with pytest.raises(BundleError, match=rf"links\.0\.{missing}"):
            open_keyring(tmp_path)


def test_SG_03_every_flipped_byte_of_a_registry_with_a_chain_is_found(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    exchange(folder, FIRST, SECOND)
    data = (folder / REGISTRY).read_bytes()
    for place in range(0, len(data) - 1, 41):
        (folder / REGISTRY).write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(BundleError):
            open_keyring(folder)


@pytest.fixture(scope="session")
def made(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a board with an entry, an exchange, and a line after it."""
    folder = begun(tmp_path_factory.mktemp("exchanged"))
    submit(board.bundle("history"), folder)
    exchange(folder, FIRST, SECOND)
    submit(board.bundle("summary"), folder)
    return folder


@pytest.fixture
def submissions(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "submissions")


def fault_of(folder: Path) -> str:
    with pytest.raises(BundleError) as caught:
        open_board(folder)
    assert any(fault.line() == str(caught.value) for fault in check_board(folder).faults)
    return str(caught.value)


def test_lines_before_and_after_an_exchange_name_the_key_that_signed(submissions: Path) -> None:
    assert check_board(submissions).faults == ()
    marks = [line.registry for line in open_board(submissions).lines]
    assert [mark and (mark.version, mark.root) for mark in marks] == [
        (1, root_of(FIRST).keyid),
        (2, root_of(SECOND).keyid),
    ]


def test_a_thief_of_the_old_key_cannot_go_on_where_the_log_has_seen_the_new_one(submissions: Path) -> None:
    """Version 3 of the old key follows by number; the log says whose version 2 was."""
    stolen = RegistryRecord(version=3, root=root_of(FIRST).keyid, keys=(RED,))
    assert f"signed by root key {root_of(SECOND).keyid}" in fault_of(lay(submissions, stolen, FIRST))
    elsewhere = RegistryRecord(version=3, root=root_of(STRANGER).keyid, keys=(RED,), links=(link(FIRST, STRANGER, 2),))
    assert f"signed by root key {root_of(SECOND).keyid}" in fault_of(lay(submissions, elsewhere, STRANGER))


def test_a_new_key_without_the_exchange_is_refused_by_the_log(submissions: Path) -> None:
    bare = registry_of(submissions).record.model_copy(update={"links": (), "version": 3})
    assert f"signed by root key {root_of(FIRST).keyid}" in fault_of(lay(submissions, bare, SECOND))


def test_the_log_before_an_exchange_cannot_be_written_anew(submissions: Path, board: Board) -> None:
    other = begun(submissions.parent / "other")
    submit(board.bundle("history"), other, claimed_time="2026-01-02T03:04:05Z")
    for name in (REGISTRY, ROOT):
        shutil.copy(submissions / name, other / name)
    assert "whose first 1 lines have the head" in fault_of(other)
    (other / LOG).unlink()
    assert "whose first 1 lines have the head" in fault_of(other)


def test_an_exchange_that_follows_another_version_than_the_log_saw_is_refused(submissions: Path) -> None:
    end = LogEnd(1, head_of(read_log(submissions / LOG)[:1]))
    before = RegistryRecord(version=1, root=root_of(FIRST).keyid, keys=())
    unseen = SignedRegistry(before, "3" * 64, registry_of(begun(submissions.parent / "b")).roots)
    record = exchanged(unseen, FIRST, SECOND, end).model_copy(update={"keys": (RED,), "version": 3})
    assert "as the log has seen" in fault_of(lay(submissions, record, SECOND))


def test_a_version_that_a_line_names_before_its_exchange_is_refused(submissions: Path) -> None:
    """The exchange says that version 2 came when the log had two lines, and its second line names version 2."""
    lines = read_log(submissions / LOG)
    begun(submissions.parent / "b")
    late = LogEnd(2, head_of(lines))
    record = exchanged(registry_of(submissions.parent / "b"), FIRST, SECOND, late).model_copy(update={"version": 3})
    assert "versions before 2 in the first 2 lines" in fault_of(lay(submissions, record, SECOND))


def test_the_registry_before_an_exchange_is_a_rollback(submissions: Path) -> None:
    assert "rolled back" in fault_of(begun(submissions))


@pytest.fixture
def rerun_board(board: Board, reruns: Reruns, tmp_path: Path) -> Path:
    """Return a board of the first key, with a re-run."""
    folder = begun(tmp_path / "reruns")
    submit(board.bundle("history"), folder)
    reruns.forge("history", folder / "confirmations" / "red-history")
    return folder


def test_a_re_run_of_the_old_key_counts_on_if_both_keys_vouched_for_it(rerun_board: Path, reruns: Reruns) -> None:
    exchange(rerun_board, FIRST, SECOND)
    exchange(rerun_board, SECOND, THIRD)
    found = check_board(rerun_board)
    assert (found.faults, found.confirmations) == ((), 1)
    roots = registry_of(rerun_board).roots
    record = rerun_board / "confirmations" / "red-history" / "check-1" / CONFIRMATION
    digest = hashlib.sha256(record.read_bytes()).hexdigest()
    assert [each.confirmations for each in roots.exchanges] == [
        (Content(name="red-history/check-1", sha256=digest),),
        (),
    ]


def test_what_the_old_key_signs_after_the_exchange_counts_for_nothing(rerun_board: Path, reruns: Reruns) -> None:
    exchange(rerun_board, FIRST, SECOND)
    place = rerun_board / "confirmations" / "red-history"
    good = place / "check-1"
    good.rename(place / "check-2")
    assert "that an earlier one left behind" in check_board(rerun_board).faults[0].line()
    (place / "check-2").rename(good)
    record = (good / CONFIRMATION).read_bytes()
    reruns.forge("history", place, tell=lambda told: told.payload.update(model="another"))
    assert (good / CONFIRMATION).read_bytes() != record
    assert "that an earlier one left behind" in check_board(rerun_board).faults[0].line()
    reruns.forge("history", place, tell=lambda told: setattr(told, "key", SECOND))
    assert check_board(rerun_board).faults == ()


def test_entries_change_as_before_under_the_new_key(submissions: Path) -> None:
    line = change_entry(submissions, "withdrawn", "red-summary", "a fault")
    assert line.registry is not None
    assert line.registry.root == root_of(SECOND).keyid
