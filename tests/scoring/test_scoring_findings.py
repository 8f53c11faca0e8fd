"""A bundle's texts are looked through before it is published: every record, the manifest and the README."""

from __future__ import annotations

from pathlib import Path

from protocol.bundle import content_lines, list_files
from scoring.findings import MAX_SHOWN, bundle_findings
from tests.bundles import KEY, Board
from tests.scoring.forge import Parts, forge

PLANTED = "sk-proj-0123456789abcdefABCD"


def record_count(bundle: Path) -> int:
    names = [name for name in list_files(bundle) if name.endswith(".gz")]
    return sum(len(list(content_lines((bundle / name).read_bytes(), name))) for name in names)


def test_SX_07_every_record_is_looked_at_and_an_honest_bundle_has_no_finding(board: Board) -> None:
    for pathway in ("history", "summary"):
        bundle = board.bundle("history" if pathway == "history" else "summary")
        looked = bundle_findings(bundle)
        assert (looked.findings, looked.records) == ((), record_count(bundle))


def test_SX_07_a_key_beside_odd_line_ends_is_found_in_reply_memory_manifest_and_readme(
    board: Board, tmp_path: Path
) -> None:
    def change(parts: Parts) -> None:
        parts.step(2)["reply"] = f"\u2028\u0085\x1e{PLANTED}\nAnswer: UP, Score: 0"
        parts.lines["memory/snake.jsonl"][0]["memory"] = f"\u2029{PLANTED}"
        parts.manifest["model"] = "m at 10.1.2.3"
        parts.extra["README.md"] = b"ask a.person@example.org"

    looked = bundle_findings(forge(board.bundle("summary"), tmp_path / "b", KEY, change))
    assert [line.split(": looks like ")[0] for line in looked.findings] == [
        "README.md",
        "bundle.dsse.json, manifest",
        "episodes/snake.jsonl.gz, line 1",
        "memory/snake.jsonl.gz, line 1",
    ]
    assert not any(PLANTED in line or "10.1.2.3" in line or "a.person" in line for line in looked.findings)


def test_many_findings_are_counted_not_listed(board: Board, tmp_path: Path) -> None:
    readme = " ".join([PLANTED] * 50).encode()
    bundle = forge(board.bundle("history"), tmp_path / "b", KEY, lambda p: p.extra.update({"README.md": readme}))
    found = bundle_findings(bundle).findings
    assert len(found) == MAX_SHOWN + 1
    assert found[-1] == "and 30 more"
