"""``s3gym report``: one page whose numbers are the results', whose words claim no more, and which no name can break."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from s3gym.comparing import compare
from s3gym.markdown import code_block, literal, said, table
from s3gym.reporting import report_text
from s3gym.score_tables import View, show_results
from s3gym.sheets import Sheet, sheets
from s3gym.wording import MARKS, SURENESS, gain
from scoring.metric_terms import RunMetric
from scoring.results import EntryResult, Results
from tests.bundles import KEY, Board
from tests.s3gym.face import Face, refused
from tests.s3gym.shown import golden, screen
from tests.s3gym.test_s3gym_compare import shown as compared
from tests.s3gym.test_s3gym_score import is_number, is_span
from tests.scoring.forge import forge
from tests.site.factory import Spec, flat, make_report, make_results, realistic
from tests.site.test_site_hostile import CORPUS

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("$ s3gym verify runs/a/bundle --keys keys",)
CLAIMS = re.compile(
    r"\bprov(e|es|ed|en|ing)\b|significan|guarantee|undoubted|\bclearly\b|\bcertain|outperform|state.of.the.art|superior",
    re.IGNORECASE,
)
"""What no test, interval or replay here gives anybody the right to say."""
LITERAL = {"text", "code_inline"}
BREAKS = (
    *CORPUS,
    "# heading",
    "a | b || c",
    "`code` ``more`` ```",
    "`",
    " `x ",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "<https://evil.example> https://evil.example www.evil.example me@evil.example",
    "@someone #1 abc/def#2",
    "line\n\n# heading\n\n| a |\n| --- |\n",
    "\n```\n<script>alert(1)</script>",
    "*a* _b_ **c** ~~d~~ \\*e\\*",
    "- item\n1. item\n> quote\n---",
    "[a]: https://evil.example",
    "&lt;b&gt; &#64;",
    "trailing\\",
    "$x^2$",
)


def page(sheet: Sheet, field: int = 1, commands: Sequence[str] = COMMANDS) -> str:
    return report_text(sheet, make_report(Spec(sheet.entry.entry)), field, commands)


def pages(results: Results) -> list[tuple[Sheet, str]]:
    return [(sheet, page(sheet, len(results.entries))) for sheet in sheets(results)]


def rows(text: str, heading: str) -> dict[str, list[str]]:
    """Return the cells of the table under a heading, by the first of each row."""
    part = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.split("\n") if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in cells}


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text)


def structure(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    """Return what a text is made of, whatever it says: its blocks, and the marks within them, save literal text."""
    found = []
    for token in tokens:
        found.append((token.type, token.tag))
        found += [(child.type, child.tag) for child in token.children or () if child.type not in LITERAL]
    return found


def texts(tokens: Sequence[Token]) -> list[str]:
    """Return what is shown letter by letter."""
    return [child.content for token in tokens for child in token.children or () if child.type in LITERAL]


def test_every_number_of_the_page_is_that_of_the_results() -> None:
    for sheet, text in pages(golden()):
        seen = rows(text, "Scores")
        assert list(seen) == [run.game for run in sheet.entry.runs]
        for run in sheet.entry.runs:
            cells = iter(seen[run.game])

            def value(metric: RunMetric, sheet: Sheet = sheet, game: str = run.game, cells: object = cells) -> None:
                assert is_number(next(cells), sheet.rows[game, metric].value)  # type: ignore[call-overload]

            def bounds(metric: RunMetric, sheet: Sheet = sheet, game: str = run.game, cells: object = cells) -> None:
                row = sheet.rows[game, metric]
                assert is_span(next(cells), row.low, row.high)  # type: ignore[call-overload]

            value("y0")
            value("avg")
            bounds("avg")
            value("max")
            value("final_delta")
            bounds("final_delta")
            value("auc_plus")
            luck = next(cells).split(", ")
            assert is_number(luck[0], sheet.rows[run.game, "auc_plus_luck_median"].value)
            assert is_number(luck[-1], sheet.rows[run.game, "auc_plus_luck_high"].value)
            value("naba")
            value("trend_p_adjusted")
            assert list(cells) == [gain(run)]


def test_ranks_of_the_page_are_those_of_the_results_and_one_entry_alone_has_none() -> None:
    for sheet, text in pages(golden()):
        for game, cells in rows(text, "Ranks").items():
            for metric, cell in zip(("avg", "max", "auc_plus"), cells, strict=True):
                rank = sheet.ranks[game, metric]  # type: ignore[index]
                assert cell.removesuffix(" =") == ("-" if rank.rank is None else f"{rank.rank} of {rank.n}")
    (alone,) = sheets(make_results([Spec("alone")]))
    assert "nothing to rank it among" in page(alone)
    assert "1 of 1" not in page(alone)


def test_the_verdict_counts_games_by_what_may_be_said() -> None:
    """A steady rise is beyond noise, a flat curve is not, and two checkpoints tell nothing."""
    rise = tuple((float(k),) * 3 for k in range(11))
    some = make_results([Spec("a", games=("snake", "trust"), curves={"snake": rise, "trust": flat(3.0)})])
    (sheet,) = sheets(some)
    assert sheet.entry.runs[0].beyond_noise
    assert "**Gain beyond noise in 1 of 2 games (snake). No gain beyond noise in 1 of 2 games.**" in page(sheet)
    (still,) = sheets(
        make_results([Spec("a", games=("snake", "trust"), curves={"snake": flat(1.0), "trust": flat(3.0)})])
    )
    assert "**No gain beyond noise in 2 of 2 games.**" in page(still)
    assert "By the naive count, AUC+ > 0, it is 0 of 2." in page(still)
    (trial,) = sheets(make_results([Spec("a", protocol="smoke-1")]))
    assert "**Whether there is a gain cannot be told in 7 of 7 games.**" in page(trial)
    assert "It stands outside the main table" in page(trial)


def test_self_judging_is_set_against_what_looking_nowhere_gives() -> None:
    """Of 8 steps 5 agree; 4 have a reward, so that always saying 0 agrees in 4 of 8."""
    for sheet, text in pages(golden()):
        for run in sheet.entry.runs:
            agreement, base = sheet.rows[run.game, "agreement"], sheet.rows[run.game, "base_rate"]
            (line,) = [each for each in text.split("\n") if each.startswith(f"- {run.game}: ") and "verifier" in each]
            assert agreement.value is not None
            assert base.value is not None
            told = [float(each) for each in re.findall(r"([0-9.]+)%", line.replace("95%:", ""))]
            assert told[0] == pytest.approx(100 * agreement.value, abs=0.051)
            assert f"always saying 0 would in {told[3]:g}%" in line.replace(".0%", "%")
            assert told[3] == pytest.approx(100 * base.value, abs=0.051)
            rate = sheet.rows[run.game, "reward_rate"].value
            assert rate is not None
            assert ("always promising a reward" in line) == (rate > base.value)


def test_failures_departures_and_what_is_missing_are_told() -> None:
    (sheet,) = [sheet for sheet in sheets(golden()) if sheet.entry.entry == "troubled-history"]
    text = page(sheet)
    assert "- tetris: 1 failed checkpoint, 0 failed explorations" in text
    assert "no y(0), final delta, AUC+, NABA: the x = 0 checkpoint failed" in text
    assert "Departures from the protocol: none declared or found." in text
    (odd,) = sheets(make_results([Spec("odd", deviations=("the endpoint cut prompts", "temperature 2"))]))
    assert "- `the endpoint cut prompts`\n- `temperature 2`" in page(odd)


def test_nothing_claims_more_than_it_can() -> None:
    for results in (golden(), make_results(realistic())):
        told = [text for _, text in pages(results)]
        told.append(screen(lambda console, all_=results: show_results(console, sheets(all_), View()), 100))  # type: ignore[misc]
        for text in told:
            assert CLAIMS.search(text) is None, CLAIMS.search(text)
    golden_results = golden()
    assert (
        CLAIMS.search(compared(golden_results, compare(golden_results, "improving-summary", "wavering-history")))
        is None
    )


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_help_claims_no_more_either(face: Face, command: str) -> None:
    text = face(command, "--help").output
    assert "Examples" in text
    assert CLAIMS.search(text) is None


def test_what_it_points_to_is_there() -> None:
    assert (ROOT / MARKS).is_file()
    assert (ROOT / SURENESS).is_file()


def hostile(text: str) -> Sheet:
    """Return an entry with the text wherever one from outside can stand."""
    (sheet,) = sheets(make_results([Spec("evil", failed={"snake": (0,)})]))

    def spoil(entry: EntryResult) -> EntryResult:
        endpoint = entry.endpoint.model_copy(update={"model": text})
        runs = (
            run.model_copy(update={"reason": f"it departs: {text}", "marks": (text,), "ranked": False})
            for run in entry.runs
        )
        update = {
            "model": text,
            "team": text,
            "endpoint": endpoint,
            "deviations": (text, text),
            "protocol_title": text,
            "outside_main_table": f"why: {text}",
            "runs": tuple(runs),
        }
        return entry.model_copy(update=update)

    return sheet._replace(entry=spoil(sheet.entry))


@pytest.mark.parametrize("text", BREAKS)
def test_A17_A26_a_name_breaks_nothing_and_is_shown_whole(text: str) -> None:
    """The page is made of the same blocks and marks as with a name that no reader of Markdown could misread."""
    plain, evil = parsed(page(hostile("plain_name"))), parsed(page(hostile(text)))
    assert structure(evil) == structure(plain)
    kinds = {kind for kind, _ in structure(evil)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "s_open"}
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text.replace("\n", "\\n")
    )
    assert texts(evil).count(shown) >= 6
    assert sum(shown in each for each in texts(evil)) >= 9


@given(st.text(min_size=1, max_size=60))
def test_any_text_is_one_code_span_and_nothing_else(text: str) -> None:
    tokens = parsed(f"- model: {literal(text)}, and more")
    (inline,) = [token for token in tokens if token.type == "inline"]
    assert [child.type for child in inline.children or ()] == ["text", "code_inline", "text"]
    assert inline.children is not None
    whole = inline.children[1].content
    assert whole == "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text.replace("\n", "\\n")
    )


@given(st.text(max_size=60))
def test_any_text_in_a_sentence_is_text_or_one_code_span(text: str) -> None:
    tokens = parsed(f"- it said {said(text)} then")
    (inline,) = [token for token in tokens if token.type == "inline"]
    assert {child.type for child in inline.children or ()} <= {"text", "code_inline"}


@pytest.mark.parametrize(
    "text",
    ["https://evil.example", "www.evil.example", "a@b.example", "evil.example", "#12", "@you", "a_b_", "mailto:a@b"],
)
def test_what_some_reader_makes_a_link_or_a_mention_is_no_plain_text(text: str) -> None:
    assert said(f"see {text}").startswith("`")


def test_a_reason_of_ours_is_plain_text() -> None:
    reason = "the x = 0 checkpoint failed, so there is no baseline; 3 of 10 (0.5)"
    assert said(reason) == reason


@given(st.lists(st.text(max_size=40), min_size=1, max_size=3))
def test_a_block_of_commands_holds_any_line(lines: list[str]) -> None:
    tokens = parsed(f"{code_block(lines)}\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


def test_a_bar_never_stands_in_a_cell() -> None:
    with pytest.raises(AssertionError, match="bar"):
        table(("a", "b"), [("1 | 2", "3")])


def test_the_page_of_a_bundle_names_commands_that_work_and_no_folder_of_the_machine(
    face: Face, board: Board, tmp_path: Path
) -> None:
    (tmp_path / "mine").symlink_to(board.bundle("history"))
    (tmp_path / "keys").symlink_to(board.keys)
    done = face("report", "mine", str(board.bundle("summary")), "--keys", "keys")
    assert done.exit_code == 0, done.output
    commands = re.findall(r"^\$ s3gym (.+)$", done.stdout, re.MULTILINE)
    assert commands == ["verify mine --keys keys", "score mine --keys keys"]
    for command in commands:
        assert face(*shlex.split(command)).exit_code == 0
    direct = face("report", str(board.bundle("history")), "--keys", str(board.keys))
    assert str(board.folder) not in direct.stdout
    assert "nothing to rank it among" in direct.stdout


def test_the_page_is_the_same_from_the_cache_and_in_a_file(
    face: Face, board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S3GYM_CACHE", str(tmp_path / "cache"))
    call = ("report", str(board.bundle("history")), "--keys", str(board.keys))
    fresh = face(*call, "--no-cache").stdout
    assert face(*call).stdout == face(*call).stdout == fresh
    assert "Report: page.md" in face(*call, "-o", "page.md").stdout
    assert Path("page.md").read_text(encoding="utf-8") == fresh


def test_a_file_that_is_there_is_left_alone_unless_told_otherwise(face: Face, board: Board) -> None:
    Path("page.md").write_text("mine")
    call = ("report", str(board.bundle("history")), "--keys", str(board.keys), "-o", "page.md")
    refused(face(*call), 2, "page.md is there already", "--force")
    assert Path("page.md").read_text() == "mine"
    assert face(*call, "--force").exit_code == 0
    assert Path("page.md").read_text().startswith("# Entry `red-history`")
    refused(face(*call[:-1], "nowhere/page.md"), 2, "nowhere/page.md")


def test_of_a_refused_bundle_there_is_no_page(face: Face, board: Board, tmp_path: Path) -> None:
    bad = forge(board.bundle("history"), tmp_path / "bad", KEY, lambda parts: parts.step().update(reward=9.0))
    done = face("report", str(bad), "--keys", str(board.keys), "-o", "page.md")
    refused(done, 1, "replay")
    assert not Path("page.md").exists()
    field = face("report", str(board.bundle("summary")), str(bad), "--keys", str(board.keys), "-o", "page.md")
    refused(field, 1, "replay")
    assert not Path("page.md").exists()
