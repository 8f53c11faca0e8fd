"""The re-runs on a board: the check of the log and the build of the site refuse the same ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.errors import BundleError
from protocol.preset import Preset, preset_named
from protocol.signing import team_key
from protocol.strictjson import write_record
from s3gym.site_building import accept_board
from scoring.acceptance import Happening, append_log
from scoring.board import open_board
from scoring.confirming import COMPLETENESS, STEPS
from scoring.log_check import BoardReport, check_board
from scoring.root_keys import root_of
from scoring.signed_registry import REGISTRY, ROOT, RegistryRecord, sign_registry
from scoring.submitting import change_entry, submit
from tests.bundles import KEY, TEAM, Board
from tests.scoring.bad_reruns import BAD, Bad
from tests.scoring.reruns import ROOT_KEY, Reruns

CHEAP = {step.code for step in STEPS if step.number <= COMPLETENESS.number}
ENTRY = "red-history"


@pytest.fixture(scope="session")
def empty(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a signed board with one entry and no re-run."""
    folder = tmp_path_factory.mktemp("signed")
    root = root_of(ROOT_KEY)
    (folder / ROOT).write_bytes(write_record(root) + b"\n")
    record = RegistryRecord(version=1, root=root.keyid, keys=(team_key(TEAM, KEY),))
    (folder / REGISTRY).write_bytes(sign_registry(record, ROOT_KEY))
    submit(board.bundle("history"), folder)
    return folder


@pytest.fixture
def submissions(empty: Path, tmp_path: Path) -> Path:
    return shutil.copytree(empty, tmp_path / "submissions")


def lay(reruns: Reruns, submissions: Path, bad: Bad | None = None) -> Path:
    """Lay a re-run beside the entry."""
    place = submissions / "confirmations" / ENTRY
    return reruns.forge("history", place) if bad is None else reruns.forge("history", place, bad.change, bad.tell)


def site_refuses(submissions: Path) -> str:
    with pytest.raises(BundleError) as caught:
        accept_board(open_board(submissions), preset_named, quiet=True)
    return str(caught.value)


def only_fault(submissions: Path, preset_of: Callable[[str], Preset] = preset_named) -> str:
    (fault,) = check_board(submissions, preset_of=preset_of).faults
    assert all((fault.file, fault.expected, fault.got, fault.remedy))
    return fault.line()


def test_a_good_re_run_is_counted_and_holds(reruns: Reruns, submissions: Path) -> None:
    assert check_board(submissions).confirmations == 0
    lay(reruns, submissions)
    found = check_board(submissions)
    assert (found.faults, found.confirmations) == ((), 1)
    (shown,) = accept_board(open_board(submissions), preset_named, quiet=True)
    assert [each.round for each in shown.confirmations] == ["check-1"]


@pytest.mark.parametrize(
    "bad",
    [bad for bad in BAD if bad.check in CHEAP and bad.pathway == "history"],
    ids=lambda bad: f"{bad.check}-{bad.name}",
)
def test_what_the_site_refuses_without_a_replay_the_log_check_refuses_in_the_same_words(
    bad: Bad, reruns: Reruns, submissions: Path
) -> None:
    folder = lay(reruns, submissions, bad)
    line = only_fault(submissions)
    assert line.startswith(f"confirmations/{ENTRY}/{folder.name}/")
    assert bad.says in line
    assert site_refuses(submissions) == line


def test_a_tombstone_has_no_re_run(reruns: Reruns, submissions: Path) -> None:
    lay(reruns, submissions)
    change_entry(submissions, "disqualified", ENTRY, "the replies were typed by hand")
    line = only_fault(submissions)
    assert line.startswith(f"confirmations/{ENTRY}: expected re-runs of an entry that stands or is held, got one that")
    assert site_refuses(submissions) == line
    shutil.rmtree(submissions / "confirmations" / ENTRY)
    assert check_board(submissions).faults == ()


def test_an_entry_that_the_log_does_not_know_has_no_re_run(reruns: Reruns, submissions: Path) -> None:
    lay(reruns, submissions).parent.rename(submissions / "confirmations" / "nobody\u202e")
    line = only_fault(submissions)
    assert "confirmations/nobody\\u202e" in line
    assert "the log does not know" in line
    assert site_refuses(submissions) == line


def test_a_held_entry_may_have_a_re_run(reruns: Reruns, submissions: Path) -> None:
    """It may be what the organisers look at before they release it."""
    board = open_board(submissions)
    (standing,) = board.standings.values()
    (submissions / "log.jsonl").unlink()
    happening = Happening("held", standing.subject, "equal to another", board.keyring.mark)
    append_log(submissions / "log.jsonl", happening)
    lay(reruns, submissions)
    found = check_board(submissions)
    assert (found.faults, found.confirmations) == ((), 1)
    assert accept_board(open_board(submissions), preset_named, quiet=True) == []


def test_no_unsigned_registry_has_re_runs(reruns: Reruns, board: Board, tmp_path: Path) -> None:
    submissions = tmp_path / "unsigned"
    shutil.copytree(board.keys, submissions / "keys")
    submit(board.bundle("history"), submissions)
    lay(reruns, submissions)
    assert "a signed registry" in only_fault(submissions)
    assert site_refuses(submissions) == only_fault(submissions)


def test_a_link_and_a_file_among_the_re_runs_are_found(reruns: Reruns, submissions: Path) -> None:
    place = lay(reruns, submissions).parent
    outside = submissions.parent / "outside"
    place.rename(outside)
    place.symlink_to(outside)
    assert "expected a folder, got something else" in only_fault(submissions)
    place.unlink()
    outside.rename(place)
    (place / "note.txt").write_text("words")
    assert "note.txt/.: expected a folder" in only_fault(submissions)


def test_a_re_run_that_is_being_written_is_left_alone(reruns: Reruns, submissions: Path) -> None:
    folder = lay(reruns, submissions)
    folder.rename(folder.with_name(".check-1.partial"))
    found = check_board(submissions)
    assert (found.faults, found.confirmations) == ((), 0)


def test_a_protocol_that_is_not_known_or_another_one_refuses_and_says_what_to_give(
    reruns: Reruns, submissions: Path
) -> None:
    """What cannot be checked does not pass."""

    def unknown(name: str) -> Preset:
        raise ValueError(f"no preset {name}")

    def other(name: str) -> Preset:
        return preset_named(name).model_copy(update={"round": "other"})

    lay(reruns, submissions)
    assert "--protocol" in only_fault(submissions, unknown)
    assert "with digest" in only_fault(submissions, other)


def test_a_re_run_of_an_exchanged_bundle_is_not_looked_at(reruns: Reruns, submissions: Path) -> None:
    lay(reruns, submissions)
    envelope = submissions / "entries" / ENTRY / "bundle.dsse.json"
    envelope.write_bytes(envelope.read_bytes() + b"\n")
    found = check_board(submissions)
    assert found.confirmations == 0
    assert [fault.file for fault in found.faults] == [f"entries/{ENTRY}/bundle.dsse.json"]


def test_the_report_for_machines_says_the_same(reruns: Reruns, submissions: Path) -> None:
    lay(reruns, submissions)
    held = check_board(submissions).report
    assert (held.verdict, held.lines, held.confirmations, held.faults) == ("holds", 1, 1, ())
    (submissions / "confirmations" / ENTRY / "check-1" / "README.md").write_text("words")
    refused = check_board(submissions).report
    assert BoardReport.model_validate_json(refused.model_dump_json()) == refused
    (fault,) = json.loads(refused.model_dump_json())["faults"]
    assert refused.verdict == "refused"
    assert fault["file"] == f"confirmations/{ENTRY}/check-1/README.md"
    assert {"expected", "got", "remedy"} <= fault.keys()
