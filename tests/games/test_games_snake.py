"""Snake obeys its written rules."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from games.base import End
from games.snake.config import EXPLORE, STRICT, SnakeConfig
from games.snake.rules import SNAKE, SnakeState
from games.text import word
from tests.games.episodes import drawer, varied

BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])


def picture(config: SnakeConfig, direction: str, rows: str, food: tuple[float, ...] = (0.0,) * 16) -> SnakeState:
    """A state from a drawing: H the head, b, c, d ... the body from the head on, X obstacles, A apples."""
    cells = rows.split()
    size = len(cells)
    flat = "".join(cells)
    body = tuple(sorted((cell for cell, mark in enumerate(flat) if mark in "Hbcdefghijklmno"), key=lambda c: flat[c]))
    apples, obstacles = (tuple(cell for cell, mark in enumerate(flat) if mark == sign) for sign in "AX")
    config = replace(config, size=size, obstacles=0, apples=max(1, len(apples)))
    return SnakeState(config, 0, None, direction, body, apples, obstacles, food)


def grid(state: SnakeState) -> list[str]:
    return [row.replace(" ", "") for row in SNAKE.observe(state).split("\n")[1:]]


def played(state: SnakeState, *actions: str) -> SnakeState:
    for action in actions:
        state = SNAKE.step(state, action).state
    return state


def reach(rows: list[str]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The squares without obstacle inside the wall, and those of them that the head can reach."""
    free = {(y, x) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark not in "#X"}
    seen: set[tuple[int, int]] = set()
    edge = [(y, row.index("H")) for y, row in enumerate(rows) if "H" in row]
    while edge:
        y, x = edge.pop()
        if (y, x) in free - seen:
            seen.add((y, x))
            edge += [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
    return free, seen


@BOTH
def test_an_episode_starts_as_the_rules_say(config: SnakeConfig) -> None:
    for seed in range(200):
        state = SNAKE.start(config, seed)
        rows = grid(state)
        assert SNAKE.observe(state).startswith("Current direction: UP\n")
        assert rows[0] == rows[9] == "#" * 10
        assert all(row[0] == row[9] == "#" and len(row) == 10 for row in rows)
        assert rows[5][5] == "H"
        flat = "".join(rows)
        assert [flat.count(mark) for mark in "#HSAX"] == [36, 1, 0, 3, 5]
        assert not any("X" in rows[y][4:7] for y in (4, 5, 6))
        free, seen = reach(rows)
        assert free == seen


@pytest.mark.parametrize("size", range(4, 11))
def test_as_many_obstacles_as_fit_leave_the_rest_connected(size: int) -> None:
    empty = replace(EXPLORE, size=size, obstacles=0)
    full = replace(empty, obstacles=empty.room)
    for seed in range(20):
        rows = grid(SNAKE.start(full, seed))
        assert "".join(rows).count("X") == empty.room
        free, seen = reach(rows)
        assert free == seen


@pytest.mark.parametrize(
    ("name", "value"), [("size", 3), ("apples", 0), ("obstacles", -1), ("obstacles", 56), ("max_steps", 0)]
)
def test_a_setting_that_cannot_be_played_is_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected"):
        varied(EXPLORE, {name: value})


def test_every_obstacle_and_apple_place_is_used() -> None:
    """No place outside the start and its neighbours is left out by the way of drawing."""
    seen: dict[str, set[int]] = {"X": set(), "A": set()}
    for seed in range(400):
        flat = "".join(grid(SNAKE.start(STRICT, seed)))
        for mark, places in seen.items():
            places.update(place for place, found in enumerate(flat) if found == mark)
    assert [len(places) for places in seen.values()] == [64 - 9, 64 - 1]


def test_the_layout_is_the_board_without_the_snake() -> None:
    state = SNAKE.start(EXPLORE, 1)
    rows = SNAKE.observe(state).split("\n")[1:]
    assert SNAKE.layout(state) == "\n".join(rows).replace("H", ".")


@pytest.mark.parametrize(
    "action",
    ["LEFT", "left", "Left", " left\n", "[LEFT]", "<left>", "'left'", '"left"', "`left`", "**LEFT**", "left.", "(left)",
     "\N{FULLWIDTH LEFT PARENTHESIS}left\N{FULLWIDTH RIGHT PARENTHESIS}", "left\N{FULLWIDTH COMMA}"],
)  # fmt: skip
def test_one_word_is_read_whatever_stands_around_it(action: str) -> None:
    assert SNAKE.step(SNAKE.start(STRICT, 1), action).state.direction == "LEFT"


@BOTH
@pytest.mark.parametrize(
    "action",
    ["", "north", "UP UP", "UP, UP", "[up] kills me, so [down]", "LEFT|RIGHT|UP|DOWN", "<LEFT|RIGHT|UP|DOWN>", "-UP",
     "not up", "UP/DOWN", "U P", "UPP", "\N{FULLWIDTH LATIN CAPITAL LETTER U}P", "R\N{LATIN SMALL LETTER DOTLESS I}GHT",
     "INVALID", "up" * 500_000],
)  # fmt: skip
def test_GM_17_anything_else_is_the_documented_invalid_step(config: SnakeConfig, action: str) -> None:
    state = SNAKE.start(config, 1)
    step = SNAKE.step(state, action)
    assert step.feedback.startswith("Invalid action: expected exactly one of LEFT, RIGHT, UP, DOWN.")
    assert step.reward == 0
    assert step.end is (End.LOST if config is STRICT else None)
    assert step.state._replace(steps=0, end=None) == state


def test_only_ascii_words_are_read() -> None:
    assert [word(text) for text in (" (ab)! ", "\N{LATIN SMALL LETTER LONG S}", "''", "a-b")] == ["AB", "", "", ""]


RING = """
######
#....#
#.Hb.#
#.dc.#
#....#
######"""


@BOTH
def test_GM_14_the_head_may_enter_the_cell_that_the_tail_leaves(config: SnakeConfig) -> None:
    state = picture(config, "LEFT", RING)
    for action in ("DOWN", "RIGHT", "UP", "LEFT") * 2:
        step = SNAKE.step(state, action)
        assert (step.feedback, step.end, step.reward) == ("You moved.", None, 0)
        state = step.state
    assert state.body == picture(config, "LEFT", RING).body


@BOTH
def test_any_other_cell_of_the_body_is_a_collision(config: SnakeConfig) -> None:
    state = picture(config, "LEFT", RING.replace(".dc.", "edc."))
    step = SNAKE.step(state, "DOWN")
    assert step.feedback.startswith("You hit your own body.")
    assert step.end is (End.LOST if config is STRICT else None)
    assert step.state.body == state.body


@BOTH
def test_the_tail_stays_while_the_snake_eats(config: SnakeConfig) -> None:
    state = picture(config, "UP", "##### #.A.# #.H.# #.b.# #####")
    step = SNAKE.step(state, "UP")
    assert (step.feedback, step.reward) == ("You ate an apple.", 1)
    assert grid(step.state) == ["#####", "#AH.#", "#.S.#", "#.S.#", "#####"]


@pytest.mark.parametrize(
    ("free", "draw", "place"), [(4, 0.0, 0), (4, 0.25, 1), (4, 0.49, 1), (4, 0.5, 2), (4, 0.99, 3)]
)
def test_an_apple_is_refilled_on_the_free_cell_that_its_draw_names(free: int, draw: float, place: int) -> None:
    state = picture(EXPLORE, "UP", "##### #.A.# #.H.# #XbX# #####", (draw,) * 9)
    after = SNAKE.step(state, "UP").state
    cells = [cell for cell, mark in enumerate("######.A.##.H.##XbX######") if mark == "."]
    assert len(cells) == free
    assert after.apples == (cells[place],)


def test_the_nth_apple_takes_the_nth_draw_however_it_was_reached() -> None:
    """A longer way to the first apple changes no draw."""
    rows, food = "##### #.A.# #.H.# #...# #####", (0.0, 0.999)
    straight = played(picture(EXPLORE, "UP", rows, food), "UP")
    around = played(picture(EXPLORE, "UP", rows, food), "", "LEFT", "RIGHT", "UP")
    assert straight.apples == around.apples == (6,)
    assert straight.food == around.food
    assert played(straight, "LEFT").apples == (18,)


@BOTH
@pytest.mark.parametrize(
    ("rows", "actions", "feedback"),
    [
        ("#### #AH# #.b# ####", ("LEFT",), "You ate an apple."),
        ("#### #AH# #cb# ####", ("LEFT",), "You ate an apple. The board is full."),
        ("##### #AHb# #Xdc# #.ef# #####", ("LEFT",), "You ate an apple."),
        ("##### #AHb# #AX.# #X..# #####", ("LEFT",), "You ate an apple."),
    ],
)
def test_GM_16_a_nearly_full_board_takes_the_apples_that_fit(
    config: SnakeConfig, rows: str, actions: tuple[str, ...], feedback: str
) -> None:
    state = picture(config, "LEFT", rows)
    step = SNAKE.step(played(state, *actions[:-1]), actions[-1])
    assert (step.feedback, step.reward) == (feedback, 1)
    before, after = "".join(grid(state)), "".join(grid(step.state))
    room = before.count(".")
    assert after.count("A") == before.count("A") - 1 + min(1, room)
    assert step.end is (End.WON if "full" in feedback else None)


@pytest.mark.parametrize("apples", [2, 3, 9])
def test_GM_16_fewer_free_cells_than_apples_at_the_start(apples: int) -> None:
    state = SNAKE.start(replace(EXPLORE, size=4, obstacles=0, apples=apples), 5)
    assert len(state.apples) == min(apples, 3)
    eaten = 0
    while state.end is None:
        state, _, reward = SNAKE.step(state, SNAKE.baselines["greedy"](SNAKE.observe(state), drawer(1)).action)
        eaten += int(reward)
    assert (state.end, eaten) == (End.WON, 3)


@BOTH
@pytest.mark.parametrize(
    ("rows", "valid"),
    [("##### #...# #.H.# #...# #####", True), ("##### #...# #.H.# #.b.# #####", False),
     ("###### #....# #.H..# #.b..# #.c..# ######", False)],
    ids=["length 1", "length 2", "length 3"],
)  # fmt: skip
def test_GM_18_a_snake_of_two_cells_or_more_cannot_turn_back(config: SnakeConfig, rows: str, valid: bool) -> None:
    state = picture(config, "UP", rows)
    step = SNAKE.step(state, "DOWN")
    assert step.reward == 0
    if valid:
        assert (step.feedback, step.end, step.state.direction) == ("You moved.", None, "DOWN")
    else:
        assert step.feedback.startswith("Invalid action: the snake cannot turn back on itself.")
        assert step.end is (End.LOST if config is STRICT else None)
        assert step.state._replace(steps=0, end=None) == state


@BOTH
@pytest.mark.parametrize(
    ("rows", "feedback"),
    [("##### #.H.# #...# #...# #####", "You hit the wall."), ("##### #.X.# #.H.# #...# #####", "You hit an obstacle.")],
)
def test_GM_18_a_collision_pays_nothing_and_moves_nothing(config: SnakeConfig, rows: str, feedback: str) -> None:
    state = picture(config, "UP", rows)
    step = SNAKE.step(state, "UP")
    assert step.reward == 0
    assert step.state._replace(steps=0, end=None) == state
    if config is STRICT:
        assert (step.feedback, step.end) == (f"{feedback} The episode is over.", End.LOST)
    else:
        assert (step.feedback, step.end) == (f"{feedback} Nothing moved.", None)


@BOTH
def test_GM_31_at_the_step_limit_a_win_is_a_win_and_a_strict_death_a_loss(config: SnakeConfig) -> None:
    steps = config.max_steps - 1
    full = picture(config, "LEFT", "#### #AH# #cb# ####")._replace(steps=steps)
    wall = picture(config, "UP", "##### #.H.# #...# #...# #####")._replace(steps=steps)
    assert SNAKE.step(full, "LEFT").end is End.WON
    assert SNAKE.step(wall, "UP").end is (End.LOST if config is STRICT else End.STEP_LIMIT)
    assert SNAKE.step(wall, "DOWN").end is End.STEP_LIMIT
    assert SNAKE.step(wall, "END").end is End.AGENT_END


@BOTH
def test_GM_26_the_observation_holds_nothing_of_the_food_to_come(config: SnakeConfig) -> None:
    state = SNAKE.start(config, 1)
    assert SNAKE.observe(state) == SNAKE.observe(state._replace(food=(0.5,) * 64))


@BOTH
def test_RP_10_a_state_saved_as_json_at_every_step_plays_on_as_before(config: SnakeConfig) -> None:
    draw = drawer(3)
    kept = restored = SNAKE.start(config, 3)
    while kept.end is None:
        action = SNAKE.baselines["greedy"](SNAKE.observe(kept), draw).action
        saved = json.loads(json.dumps([kept.direction, kept.body, kept.apples, kept.obstacles, kept.food]))
        restored = SnakeState(config, kept.steps, None, saved[0], *[tuple(part) for part in saved[1:]])
        assert restored == kept
        step, again = SNAKE.step(kept, action), SNAKE.step(restored, action)
        assert step == again
        kept = step.state
    assert len(kept.body) > 5


def test_baselines_avoid_what_they_can_see() -> None:
    """Random and greedy play never run into anything while a way is open; idle goes straight on."""
    state = picture(STRICT, "UP", "##### #.XA# #.H.# #.b.# #####")
    for seed in range(20):
        for name in ("random", "greedy"):
            action, _ = SNAKE.baselines[name](SNAKE.observe(state), drawer(seed))
            assert SNAKE.step(state, action).end is None
    assert SNAKE.baselines["idle"](SNAKE.observe(state), drawer(0)) == ("UP", 0)


def test_greedy_eats_the_apple_before_it_but_enters_no_dead_end() -> None:
    def answer(rows: str) -> tuple[str, float]:
        return SNAKE.baselines["greedy"](SNAKE.observe(picture(STRICT, "UP", rows)), drawer(0))

    assert answer("##### #.A.# #.H.# #.b.# #####") == ("UP", 1)
    assert answer("##### #XAX# #.H.# #.b.# #####") == ("LEFT", 0)


def told(state: SnakeState) -> tuple[str, float]:
    assert SNAKE.oracle is not None
    return SNAKE.oracle(state, drawer(0))


@pytest.mark.parametrize(("draw", "way"), [(0.0, "LEFT"), (0.999, "RIGHT")])
def test_the_oracle_knows_where_the_next_apples_will_lie(draw: float, way: str) -> None:
    """The left apple is followed by one in the upper left corner, or the right one by one in the lower right corner."""
    rows = "####### #.....# #.....# #A.H.A# #.....# #.....# #######"
    assert told(picture(STRICT, "UP", rows, (draw,) * 25)) == (way, 0)


def test_the_oracle_eats_in_a_dead_end_only_when_no_step_is_left_after_it() -> None:
    state = picture(STRICT, "UP", "##### #XAX# #.H.# #.b.# #####")
    assert told(state)[0] in {"LEFT", "RIGHT"}
    assert told(state._replace(steps=63)) == ("UP", 1)


def test_the_oracle_goes_where_the_tail_leaves_but_not_back() -> None:
    ring = picture(STRICT, "LEFT", "###### #Hd.X# #bcXX# #XXXA# #XXXX# ######")
    assert told(ring) == ("RIGHT", 0)
    assert SNAKE.step(ring, "RIGHT").end is None
    assert told(picture(STRICT, "UP", "##### #XH.# #XbA# #XXX# #####")) == ("RIGHT", 0)


def test_a_snake_that_is_shut_in_still_answers() -> None:
    state = picture(EXPLORE, "UP", "##### #XXX# #XHX# #Xb.# #####")
    for name, baseline in SNAKE.baselines.items():
        assert baseline(SNAKE.observe(state), drawer(0)).action == "UP", name
    assert told(state) == ("UP", 0)
