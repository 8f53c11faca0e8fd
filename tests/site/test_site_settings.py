"""What a model was asked with stands in the row of its entry, and whole on the page of it."""

from pathlib import Path

from leaderboard.build import build_site
from protocol.asking import BodyField, Header
from tests.site.factory import Spec, make_results, site_entry
from tests.site.html import read


def test_settings_stand_in_the_row_and_on_the_page(tmp_path: Path) -> None:
    specs = (Spec("plain", seed=1), Spec("set", seed=2))
    results = make_results(specs)
    plain, other = results.entries
    decoding = other.decoding.model_copy(
        update={
            "reasoning_effort": "high",
            "extra_body": (BodyField(name="variant", value=f'"{"<b>" * 50}"'),),
            "extra_headers": (Header(name="x-note", value=None),),
        }
    )
    changed = results.model_copy(update={"entries": (plain, other.model_copy(update={"decoding": decoding}))})
    build_site([site_entry(spec) for spec in specs], changed, tmp_path / "out")
    for page in ("index.html", "games/snake.html"):
        rows = [each for each in read(tmp_path / "out" / page).walk() if each.attrs.get("data-entry")]
        words = {each.attrs["data-entry"]: each.text for each in rows if each.tag == "tr"}
        assert 'reasoning effort: high, body variant: "<b><b>' in words["set"]
        assert "…" in words["set"], "a long setting is cut in a row"
        assert "effort" not in words["plain"]
    entry = read(tmp_path / "out" / "entries" / "set.html").text
    assert f'temperature: the server\'s default, reasoning effort: high, body variant: "{"<b>" * 50}"' in entry
    assert "header x-note: not told" in entry
