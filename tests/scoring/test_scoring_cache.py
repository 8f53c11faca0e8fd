"""The cache spares work and decides nothing: what is changed, damaged or another's is verified as if it were new."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from protocol.bundle import list_files
from protocol.preset import Preset, preset_named
from protocol.signing import generate_key, load_key, team_key, write_team_key
from scoring import accepting, cache
from scoring.accepting import Accepted, accept
from scoring.cache import Cache, Key
from scoring.registry import Registry
from scoring.score import measure, results_of, score
from scoring.verify import RefusedError, verify
from tests.bundles import KEY, TEAM, Board
from tests.powercuts import power_cuts
from tests.scoring.forge import forge


@pytest.fixture
def kept(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def bundle(board: Board, tmp_path: Path) -> Path:
    return shutil.copytree(board.bundle("history"), tmp_path / "bundle")


def files_of(kept: Cache) -> list[Path]:
    return [path for path in kept.folder.rglob("*") if path.is_file()]


def entry_of(kept: Cache) -> Path:
    (entry,) = files_of(kept)
    return entry


def test_what_is_known_is_found_again_and_says_the_same(board: Board, bundle: Path, kept: Cache) -> None:
    key_of = Registry(board.keys)
    first, second = accept(bundle, key_of, cache=kept), accept(bundle, key_of, cache=kept)
    assert (first.known, second.known) == (False, True)
    assert second.numbers == first.numbers == measure(verify(bundle, key_of))
    assert results_of([second.numbers]) == score([verify(bundle, key_of)])


def test_without_a_cache_nothing_is_written_or_known(board: Board, bundle: Path, kept: Cache) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    assert not accept(bundle, Registry(board.keys)).known
    assert len(files_of(kept)) == 1


def test_a_known_bundle_is_not_verified_again(
    board: Board, bundle: Path, kept: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(bundle, Registry(board.keys), cache=kept)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("verified again")

    monkeypatch.setattr(accepting, "verify", never)
    assert accept(bundle, Registry(board.keys), cache=kept).known


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_A03_a_known_bundle_with_one_flipped_byte_is_refused(board: Board, bundle: Path, kept: Cache) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    for number, name in enumerate(list_files(bundle)):
        copy = shutil.copytree(bundle, bundle.with_name(f"copy-{number}"))
        flipped(copy / name)
        with pytest.raises(RefusedError):
            accept(copy, Registry(board.keys), cache=kept)


@pytest.mark.parametrize(
    "change", [lambda f: (f / "x").write_text("x"), lambda f: (f / "costs/snake.jsonl.gz").unlink()]
)
def test_BN_13_a_known_bundle_with_an_extra_or_missing_file_is_refused(
    board: Board, bundle: Path, kept: Cache, change: Callable[[Path], object]
) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    change(bundle)
    with pytest.raises(RefusedError):
        accept(bundle, Registry(board.keys), cache=kept)


def test_a_known_bundle_whose_key_was_revoked_is_refused(
    board: Board, bundle: Path, kept: Cache, tmp_path: Path
) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    keys = tmp_path / "keys"
    keys.mkdir()
    revoked = team_key(TEAM, KEY).model_copy(update={"status": "revoked"})
    (keys / f"{TEAM}.json").write_bytes(write_team_key(revoked))
    with pytest.raises(RefusedError, match="active key"):
        accept(bundle, Registry(keys), cache=kept)


def test_SG_06_a_known_bundle_under_another_registered_key_is_refused(
    board: Board, bundle: Path, kept: Cache, tmp_path: Path
) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    keys = tmp_path / "keys"
    keys.mkdir()
    (keys / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, load_key(generate_key()))))
    with pytest.raises(RefusedError):
        accept(bundle, Registry(keys), cache=kept)


def test_a_refusal_is_never_kept(board: Board, kept: Cache, tmp_path: Path) -> None:
    bad = forge(board.bundle("history"), tmp_path / "bad", KEY, lambda parts: parts.step().update(reward=9.0))
    for _ in range(2):
        with pytest.raises(RefusedError):
            accept(bad, Registry(board.keys), cache=kept)
    assert files_of(kept) == []


def again(board: Board, bundle: Path, kept: Cache) -> Accepted:
    """Accept a bundle anew, check that its numbers are the true ones, and that the cache is whole afterwards."""
    found = accept(bundle, Registry(board.keys), cache=kept)
    assert found.numbers == measure(verify(bundle, Registry(board.keys)))
    assert accept(bundle, Registry(board.keys), cache=kept).known
    return found


def sealed(fields: object) -> bytes:
    body = json.dumps(fields).encode()
    return f"{sha256(body).hexdigest()}\n".encode() + body


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def raised(path: Path) -> None:
    """A number is changed and the digest is left as it was."""
    path.write_bytes(path.read_bytes().replace(b'"metric":"avg","value":', b'"metric":"avg","value":9'))


def with_field(path: Path) -> None:
    """Another form of entry, with a right digest."""
    path.write_bytes(sealed({**json.loads(path.read_bytes()[65:]), "more": 1}))


def refused_within(path: Path) -> None:
    """An entry whose report does not accept, with a right digest."""
    fields = json.loads(path.read_bytes()[65:])
    fields["report"]["checks"][6]["status"] = "not run"
    path.write_bytes(sealed(fields))


def linked(path: Path) -> None:
    other = path.with_name("other")
    path.rename(other)
    path.symlink_to(other)


def open_to_others(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize(
    "damage",
    [flipped, cut, raised, with_field, refused_within, linked, open_to_others, lambda path: path.write_bytes(b"")],
)
def test_a_damaged_entry_is_found_and_made_anew(
    board: Board, bundle: Path, kept: Cache, damage: Callable[[Path], object]
) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    damage(entry_of(kept))
    assert not again(board, bundle, kept).known


def test_an_entry_under_the_name_of_another_bundle_is_not_taken_for_it(board: Board, bundle: Path, kept: Cache) -> None:
    accept(board.bundle("summary"), Registry(board.keys), cache=kept)
    other = entry_of(kept)
    accept(bundle, Registry(board.keys), cache=kept)
    own = next(path for path in files_of(kept) if path != other)
    shutil.copyfile(other, own)
    found = again(board, bundle, kept)
    assert not found.known
    assert found.numbers.entry.entry == "red-history"


def test_another_scorer_knows_nothing(board: Board, bundle: Path, kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    monkeypatch.setattr(cache, "scorer_digest", lambda: "b" * 64)
    other = Cache(kept.folder)
    assert not accept(bundle, Registry(board.keys), cache=other).known
    assert other.stored()[:3] == (1, 1, 0)


def test_a_protocol_of_the_same_name_and_other_content_is_not_known(board: Board, bundle: Path, kept: Cache) -> None:
    """A round's preset file may be replaced; the bundle then no longer fits it, whatever was accepted before."""
    accept(bundle, Registry(board.keys), cache=kept)

    def changed(name: str) -> Preset:
        return preset_named(name).model_copy(update={"title": "Another"})

    with pytest.raises(RefusedError, match="protocol"):
        accept(bundle, Registry(board.keys), changed, kept)


@pytest.mark.parametrize("changed", ["envelope", "keyid", "preset"])
def test_every_part_of_a_key_counts(changed: str) -> None:
    key = Key("1" * 64, "2" * 64, "3" * 64)
    assert key._replace(**{changed: "4" * 64}).digest != key.digest


def test_what_was_verified_is_kept_under_its_own_name_only(
    board: Board, bundle: Path, kept: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that changes between the look at it and its verification gives no bundle another's numbers."""
    other = board.bundle("summary")
    honest = verify

    def swapped(folder: Path, *more: object, **options: object) -> object:
        return honest(other, Registry(board.keys))

    monkeypatch.setattr(accepting, "verify", swapped)
    accept(bundle, Registry(board.keys), cache=kept)
    monkeypatch.undo()
    found = accept(bundle, Registry(board.keys), cache=kept)
    assert (found.known, found.numbers.entry.entry) == (False, "red-history")


def test_only_a_measurement_or_the_cache_makes_numbers(board: Board) -> None:
    good = measure(verify(board.bundle("history"), Registry(board.keys)))
    with pytest.raises(AssertionError, match="made by"):
        dataclasses.replace(good, maker=object())


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(ValueError, match="only its owner"):
        Cache(folder)


def test_a_linked_folder_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(ValueError, match="only its owner"):
        Cache(tmp_path / "link")


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    kept = Cache(tmp_path / "a" / "b")
    assert {path.stat().st_mode & 0o077 for path in (kept.folder, *kept.folder.rglob("*"))} == {0}


def test_a_cache_that_cannot_be_written_to_is_not_in_the_way(board: Board, bundle: Path, kept: Cache) -> None:
    for folder in kept.folder.rglob("*"):
        shutil.rmtree(folder)
    assert not accept(bundle, Registry(board.keys), cache=kept).known


def test_many_writers_leave_one_whole_entry(board: Board, bundle: Path, kept: Cache) -> None:
    measured = accept(bundle, Registry(board.keys)).numbers
    verified = verify(bundle, Registry(board.keys))
    key = Key(verified.digest, verified.keyid, verified.preset.digest)

    def write_and_read(_: int) -> bool:
        kept.keep(key, measured)
        return kept.find(key) == measured

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, range(64)))
    assert kept.stored()[:3] == (1, 0, 0)


def test_RN_03_an_entry_is_there_whole_or_not_at_all_at_every_power_cut(
    board: Board, bundle: Path, kept: Cache, tmp_path: Path
) -> None:
    numbers = measure(verify(bundle, Registry(board.keys)))
    key = Key(numbers.entry.bundle_digest, numbers.entry.keyid, "0" * 64)
    found = []
    for folder in power_cuts(kept.folder, lambda each: Cache(each).keep(key, numbers), tmp_path / "work"):
        again = Cache(folder)
        found.append(again.find(key))
        assert found[-1] in (None, numbers)
        left = len(files_of(again)) - (found[-1] is not None)
        assert again.prune() == left
    assert (found[0], found[-1]) == (None, numbers)


def test_pruning_takes_what_is_of_no_use_and_nothing_that_is_not_the_caches(
    board: Board, bundle: Path, kept: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(bundle, Registry(board.keys), cache=kept)
    accept(board.bundle("summary"), Registry(board.keys), cache=kept)
    flipped(next(path for path in files_of(kept)))
    next(iter(files_of(kept))).with_name("left.partial").write_bytes(b"half")
    (kept.folder / "notes.txt").write_text("mine")
    with monkeypatch.context() as patch:
        patch.setattr(cache, "scorer_digest", lambda: "b" * 64)
        accept(bundle, Registry(board.keys), cache=Cache(kept.folder))
    assert kept.stored()[:3] == (1, 1, 2)
    assert kept.prune() == 3
    assert kept.stored()[:3] == (1, 0, 0)
    assert kept.prune(everything=True) == 1
    assert [path.name for path in files_of(kept)] == ["notes.txt"]


def test_the_digest_of_the_scorer_covers_rules_protocol_and_scoring() -> None:
    assert cache.PACKAGES == ("games", "protocol", "scoring")
    assert len(cache.scorer_digest()) == 64
