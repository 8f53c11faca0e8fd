"""Each game's README says which of its rules are the paper's, and where that tells them or leaves them open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from games.registry import GAMES, AnyGame

ROOT = Path(__file__).resolve().parents[2]
HEADING = "\n## What is the paper's and what is ours\n"
PLACE = r"(Table [28]|Appendix A\.[1-4]|Section \d(\.\d)?)"
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])

# Read off Table 2, Table 8 and Appendix A of arXiv 2608.31100, sentence by sentence.
SAID = {
    "chess": """
        15 x 15 | 12 pieces | 22 | 7 earlier boards | 5 steps | `.` | hidden rule | A:(row,column) | END
    """,
    "minesweeper": """
        9 x 9 | 10 to 20 | 64 steps | two extra lives | first hit | `?` | `F` | `X` | uncover (r,c) | flag
        (r,c) | unflag (r,c) | uncovering every safe cell | flagging every mine | flagged mines / mines
    """,
    "nullify": """
        3 to 7 | 5 to 10 | 50 steps | indexes | `+n` or `-n` | multiplication, division, square root,
        square, reciprocal, floor, ceiling | both vanish | count from 0 | 1 for complete cancellation
    """,
    "tetris": """
        10 x 10 | 8 x 8 | 64 steps | `*` | `.` | `#` | one point | above the board | first the column | from
        1 | clockwise | 0, 90, 180 or 270 | Next Block
    """,
    "snake": """
        64 steps | do nothing under `explore` | end the episode under `strict` | `#` wall | `H` | `S` | `A`
        | `X` | longer by one | direction | `LEFT`, `RIGHT`, `UP`, `DOWN` | cannot reverse
    """,
    "pvz": """
        3 x 7 | 5 x 6 | 64 turns | 25 sun | every five turns | Sunflower `X` | Peashooter `W` | Three-Line
        Shooter `S` | Wall-nut `J` | Torch Stump `H` | Fire Chili `F` | One point | semicolons | may be
        empty
    """,
    "trust": """
        10 rounds | easier opponents | uniform | `collaborate` or `cheat` | +2, -1, +3 and 0 | told in the
        rules | one strategy
    """,
}
"""What the paper says of each game."""

DEPARTS = {
    "minesweeper": ["A win pays"],
    "nullify": ["A colon", "Exact fractions"],
    "tetris": ["Following Block", "four rotations"],
    "snake": ["A head alone"],
    "trust": ["The payoff of a round is not shown"],
}
"""Where a game is known to depart from it."""


def rows(game: AnyGame) -> list[tuple[str, str, str]]:
    """The rules of a game's table, whose they are, and the place."""
    text = (ROOT / "games" / game.id / "README.md").read_text(encoding="utf-8").split(HEADING)[1]
    table = text.split("| rule | whose | place |\n|---|---|---|\n")[1].split("\n\n")[0]
    found = [tuple(line.strip("| ").split(" | ")) for line in table.split("\n")]
    assert all(len(row) == 3 for row in found)
    return [(row[0], row[1], row[2]) for row in found if len(row) == 3]


@every_game
def test_every_rule_is_the_papers_or_ours_and_cites_a_place(game: AnyGame) -> None:
    for rule, whose, place in rows(game):
        assert whose in ("paper", "ours", "departs"), rule
        assert re.search(PLACE, place), rule
        if whose == "paper":
            assert re.fullmatch(rf"{PLACE}(; {PLACE})*", place), rule


@every_game
def test_what_the_paper_says_is_told_as_the_papers(game: AnyGame) -> None:
    told = "\n".join(rule for rule, whose, _ in rows(game) if whose == "paper")
    assert "`END`" in told
    for words in " ".join(SAID[game.id].split()).split(" | "):
        assert words in told, words


@every_game
def test_departures_are_declared(game: AnyGame) -> None:
    departures = "\n".join(rule for rule, whose, _ in rows(game) if whose == "departs")
    for words in DEPARTS.get(game.id, []):
        assert words in departures, words
