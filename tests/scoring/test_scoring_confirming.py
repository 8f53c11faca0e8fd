"""Bad re-runs: each is refused by one check alone, in clear words, with or without a replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import BundleError
from scoring import confirmation
from scoring.checks.step import Faults
from scoring.confirmation import entry_of
from scoring.confirming import COMPLETENESS, STEPS, ConfirmationError, open_confirmation, read_confirmation
from scoring.report import Fault
from scoring.root_keys import Roots, root_of
from scoring.starts import start_of
from tests.scoring.bad_reruns import BAD, SNAKE, Bad
from tests.scoring.reruns import EPISODES, ROOT_KEY, Reruns

ROOTS = Roots(root_of(ROOT_KEY))
each_bad = pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.check}-{bad.name}")


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_a_good_re_run_holds(pathway: str, reruns: Reruns, tmp_path: Path) -> None:
    bundle = reruns.good(pathway)[0]
    told = read_confirmation(reruns.forge(pathway, tmp_path), ROOTS, bundle)
    assert (told.entry, [len(game.scores) for game in told.games]) == (bundle.manifest.entry, [EPISODES, EPISODES])


@each_bad
def test_a_bad_re_run_is_refused_by_its_check_and_in_clear_words(bad: Bad, reruns: Reruns, tmp_path: Path) -> None:
    folder = reruns.forge(bad.pathway, tmp_path, bad.change, bad.tell)
    bundle = reruns.good(bad.pathway)[0]
    with pytest.raises(ConfirmationError) as caught:
        read_confirmation(folder, ROOTS, bundle)
    error = caught.value
    assert error.check == bad.check
    assert bad.says in str(error)
    assert error.file.startswith(f"confirmations/{bundle.manifest.entry}/{folder.name}/")
    assert all((error.expected, error.got, error.remedy))
    assert str(error).isprintable()
    assert len(str(error)) < 2_000


@each_bad
def test_what_needs_no_replay_is_found_without_one(bad: Bad, reruns: Reruns, tmp_path: Path) -> None:
    """The check of a whole board makes the same checks up to there, and no others."""
    folder = reruns.forge(bad.pathway, tmp_path, bad.change, bad.tell)
    entry = entry_of(reruns.good(bad.pathway)[0])
    number = next(each.number for each in STEPS if each.code == bad.check)
    if number > COMPLETENESS.number:
        assert open_confirmation(folder, ROOTS, entry).told.entry == entry.manifest.entry
    else:
        with pytest.raises(ConfirmationError) as caught:
            open_confirmation(folder, ROOTS, entry)
        assert caught.value.check == bad.check


@pytest.mark.parametrize("bad", [bad for bad in BAD if bad.readable], ids=lambda bad: f"{bad.check}-{bad.name}")
def test_A01_without_its_check_a_bad_re_run_comes_through(
    bad: Bad, reruns: Reruns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No check stands for another: the fault is found by this one alone."""
    take = Faults.take

    def mute(faults: Faults, found: list[Fault]) -> None:
        if faults.step.code != bad.check:
            take(faults, found)

    bundle = reruns.good(bad.pathway)[0]
    folder = reruns.forge(bad.pathway, tmp_path, bad.change, bad.tell)
    monkeypatch.setattr(Faults, "take", mute)
    read_confirmation(folder, ROOTS, bundle)


def test_every_check_has_a_bad_re_run() -> None:
    assert [step.code for step in STEPS] == list(dict.fromkeys(bad.check for bad in BAD))
    assert [step.number for step in STEPS] == list(range(len(STEPS)))
    assert len({bad.name for bad in BAD}) == len(BAD)


def test_A13_a_round_with_a_level_that_the_entry_played_is_not_fresh(
    reruns: Reruns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Disjoint seeds can still give equal levels."""
    folder = reruns.forge("history", tmp_path)
    bundle = reruns.good("history")[0]
    level = bundle.runs[0].episodes[0].record.layout_digest
    monkeypatch.setattr(confirmation, "start_of", lambda *asked: start_of(*asked)._replace(layout_digest=level))
    with pytest.raises(ConfirmationError, match="a level of snake was played before"):
        read_confirmation(folder, ROOTS, bundle)


def test_BN_02_a_re_run_behind_a_link_is_none(reruns: Reruns, tmp_path: Path) -> None:
    folder = reruns.forge("history", tmp_path)
    bundle = reruns.good("history")[0]
    linked = tmp_path / "linked"
    linked.symlink_to(folder)
    outside = tmp_path / "outside"
    (folder / SNAKE).rename(outside)
    (folder / SNAKE).symlink_to(outside)
    for each in (linked, folder, outside, tmp_path / "nowhere"):
        with pytest.raises(BundleError) as caught:
            read_confirmation(each, ROOTS, bundle)
        assert isinstance(caught.value, ConfirmationError)
        assert caught.value.check == "files"
