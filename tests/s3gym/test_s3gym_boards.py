"""Colour is laid over a text and never changes it."""

from __future__ import annotations

import pytest

from games.registry import GAMES, AnyGame
from s3gym.boards import STYLES, painted

every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


def styled(text: str, game: str) -> list[tuple[str, str]]:
    """Return what was painted, with its style, in order."""
    shown = painted(text, game)
    spans = sorted(shown.spans, key=lambda span: span.start)
    return [(shown.plain[span.start : span.end], str(span.style)) for span in spans]


@every_game
def test_painting_keeps_every_character_of_rules_and_states(game: AnyGame) -> None:
    for config in game.configs:
        state = game.start(config, 4)
        for text in (game.rules, game.numbers(config), game.observe(state)):
            assert painted(text, game.id).plain == text


@every_game
def test_every_sign_of_a_board_is_painted_where_the_game_has_a_table(game: AnyGame) -> None:
    observation = game.observe(game.start(game.explore, 4))
    assert bool(styled(observation, game.id)) == (game.id in STYLES)


def test_signs_have_the_style_of_their_game() -> None:
    assert styled("X A", "snake") == [("X", "yellow"), ("A", "bold red")]
    assert styled("X A", "trust") == []
    assert styled("X A", "checkers") == []


def test_words_are_no_board() -> None:
    assert styled("A snake", "snake") == []
    assert styled("Current direction: UP", "snake") == []


def test_an_axis_and_the_labels_below_it_are_no_signs() -> None:
    board = "  0 1 2\n0 1 ? X\n1 F 0 2"
    assert styled(board, "minesweeper") == [
        ("  0 1 2", "dim"),
        ("0", "dim"),
        ("1", "blue"),
        ("X", "bold red"),
        ("1", "dim"),
        ("F", "bold yellow"),
        ("0", "dim"),
        ("2", "green"),
    ]


def test_an_axis_without_labels_below_it_leaves_every_cell_a_sign() -> None:
    assert styled("1 2 3\n* . *", "tetris") == [("1 2 3", "dim"), ("*", "cyan"), (".", "dim"), ("*", "cyan")]


def test_SX_06_what_could_drive_a_terminal_is_escaped() -> None:
    assert painted("\x1b[2J\u202e [bold]x[/] :apple:", "snake").plain == "\\x1b[2J\\u202e [bold]x[/] :apple:"
