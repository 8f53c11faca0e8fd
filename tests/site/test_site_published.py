"""The published page: all numbers as printed, ranked within each game, and never beside a replayed one."""

import csv
from pathlib import Path

import pytest

from leaderboard.published_tables import NOT_PUBLISHED
from scoring.published.tables import FILES, GAMES, published_bytes
from scoring.results import Results
from tests.site.html import Number, numbers, read

PATHWAYS = {"history_icl": "history", "summary_memory": "summary"}


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(published_bytes(name).decode().splitlines()))


@pytest.fixture(scope="module")
def cells(site: Path) -> dict[tuple[str, str, str], Number]:
    found = numbers(read(site / "published.html"))
    return {(cell.table, cell.head, cell.metric): cell for cell in found}


def test_all_294_numbers_stand_there_digit_by_digit(cells: dict[tuple[str, str, str], Number]) -> None:
    seen = set()
    for row in table("s3gym-main-table.csv"):
        place = f"published-{PATHWAYS[row['pathway']]}-{GAMES[row['game']]}"
        for metric in ("avg", "max", "auc_plus"):
            cell = cells[place, row["model"], metric]
            assert cell.shown == cell.value == row[metric]
            seen.add((place, row["model"], metric))
    assert len(seen) == 294
    main = {key for key in cells if key[2] in ("avg", "max", "auc_plus")}
    assert main == seen


def test_they_are_ranked_within_game_pathway_and_metric(cells: dict[tuple[str, str, str], Number]) -> None:
    rows = table("s3gym-main-table.csv")
    for row in rows:
        group = [other for other in rows if (other["pathway"], other["game"]) == (row["pathway"], row["game"])]
        for metric in ("avg", "max", "auc_plus"):
            better = sum(float(other[metric]) > float(row[metric]) for other in group)
            equal = sum(float(other[metric]) == float(row[metric]) for other in group)
            place = f"published-{PATHWAYS[row['pathway']]}-{GAMES[row['game']]}"
            cell = cells[place, row["model"], f"rank:{metric}"]
            assert (cell.value, cell.shown) == (str(better + 1), f"{better + 1}{'=' if equal > 1 else ''}")


@pytest.mark.parametrize(
    ("page", "file", "name"),
    [
        ("published", "s3gym-self-judging.csv", "published-judging"),
        ("published", "s3gym-block-coupling.csv", "published-coupling"),
        ("published", "s3gym-summary-vs-history.csv", "published-pairs"),
        ("published", "evopolicygym-core16.csv", "published-core16"),
        ("judging", "s3gym-self-judging.csv", "published-judging"),
        ("judging", "s3gym-block-coupling.csv", "published-coupling"),
        ("pathways", "s3gym-summary-vs-history.csv", "published-pairs"),
        ("training", "s3gym-training.csv", "published-training"),
    ],
)
def test_the_other_tables_hold_their_files_in_order(page: str, file: str, name: str, site: Path) -> None:
    found = [cell for cell in numbers(read(site / f"{page}.html")) if cell.table == name]
    wanted = [value for row in table(file) for key, value in list(row.items())[1:] if key != "note"]
    assert [cell.value or "" for cell in found] == wanted
    assert [cell.shown.replace("−", "-") for cell in found] == [value or "—" for value in wanted]
    assert {cell.title for cell in found if cell.value is None} <= {NOT_PUBLISHED}


def test_published_and_replayed_numbers_share_no_table_and_no_section(site: Path) -> None:
    """Where the paper's numbers stand beside ours, they stand in a section of their own that says what they are."""
    for name in ("pathways", "judging", "training"):
        page = read(site / f"{name}.html")
        tables = {box.attrs["id"] for box in page.walk() if box.has_class("table")}
        (section,) = [each for each in page.all("section") if each.attrs["aria-labelledby"] == "published"]
        inside = [box.attrs["id"] for box in section.walk() if box.has_class("table")]
        assert section.one("h2").text.startswith("As published, not replayed")
        assert inside
        assert set(inside) == {each for each in tables if each.startswith("published-")}
        assert not [cell for cell in numbers(section) if cell.entry or cell.protocol]


def test_no_run_of_ours_is_claimed_for_training(site: Path) -> None:
    page = read(site / "training.html")
    assert "No run of ours" in page.text
    assert "Qwen3-8B" in page.text


def test_published_numbers_of_models_share_no_page_and_no_file_with_entries(site: Path, results: Results) -> None:
    page = read(site / "published.html")
    assert "As published, not replayed." in page.text
    assert not any(entry.entry in page.text for entry in results.entries)
    for path in [site / "index.html", *site.glob("games/*.html"), *site.glob("entries/*.html"), *site.glob("data/*.*")]:
        assert "GPT-4o" not in path.read_text(), path


def test_every_table_names_its_source_and_the_contradiction_is_told(site: Path) -> None:
    text = " ".join(read(site / "published.html").text.split())
    assert "S3Gym, arXiv 2608.31100, Table 4" in text
    assert "EvoPolicyGym" in text
    assert "GPT-4o in Snake they say −22.00" in text
    for name in FILES:
        assert (site / "data" / "published" / name).read_bytes() == published_bytes(name)
