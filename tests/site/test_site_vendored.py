"""Files of other projects are what the table says, and what Python draws with is what the browser draws with."""

import hashlib
import re
from pathlib import Path

from plotly.offline import get_plotlyjs_version

import leaderboard.build
from tests.site.plotly_rules import bundle_rules

STATIC = Path(leaderboard.build.__file__).parent / "static"
VENDOR = STATIC / "vendor"
ROOT = Path(__file__).resolve().parents[2]


def told() -> dict[str, tuple[str, str]]:
    """Return version and digest of every file in the table."""
    rows = re.findall(r"^\| `vendor/([^`]+)` \|[^|]*\| ([^|]+) \|[^|]*\| `([0-9a-f]{64})` \|$", table(), re.MULTILINE)
    return {name: (version, digest) for name, version, digest in rows}


def table() -> str:
    return (STATIC / "VENDORED.md").read_text()


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def test_every_vendored_file_has_the_recorded_digest() -> None:
    assert told().keys() == {path.name for path in VENDOR.iterdir()}
    for name, (_, digest) in told().items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name


def test_the_bundle_says_the_recorded_version_and_licence() -> None:
    start = (VENDOR / "plotly-basic.min.js").read_text()[:300]
    assert f"plotly.js (basic - minified) v{told()['plotly-basic.min.js'][0]}" in start
    assert "Licensed under the MIT license" in start
    assert "MIT License" in (VENDOR / "plotly-LICENSE.txt").read_text()


def test_the_browser_draws_with_a_version_at_least_as_new_as_python_checks_with() -> None:
    assert version(told()["plotly-basic.min.js"][0]) >= version(get_plotlyjs_version())


def test_the_style_sheet_holds_the_rules_that_the_bundle_would_add() -> None:
    rules = bundle_rules((VENDOR / "plotly-basic.min.js").read_text())
    sheet = (STATIC / "plotly.css").read_text()
    assert len(rules) > 40
    assert sheet.partition("*/\n")[2] == "".join(f"{rule}\n" for rule in rules)


def test_the_accessibility_checker_has_the_recorded_digest() -> None:
    folder = ROOT / "tests" / "site" / "vendor"
    digest = hashlib.sha256((folder / "axe.min.js").read_bytes()).hexdigest()
    assert digest in (folder / "README.md").read_text()
