"""What every game says: to the model, in its README, and nowhere more than it may."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from statistics import mean, stdev

import pytest

from games.base import Config, number
from games.registry import GAMES, AnyGame
from tests.games.episodes import BIG_SEED, Value, policy, scores, values, varied, walk

ROOT = Path(__file__).resolve().parents[2]
CASES = [pytest.param(game, config, id=f"{game.id}-{config.id}") for game in GAMES for config in game.configs]
every_case = pytest.mark.parametrize(("game", "config"), CASES)
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])

HEADINGS = [
    "Rules as the model sees them",
    "Observation",
    "Actions",
    "Reward",
    "End",
    "What is the paper's and what is ours",
]
SECRET = re.compile(r"\b(scores?|scored|rewards?|points?|seeds?|payoffs?|explore|permissive|strict)\b", re.IGNORECASE)


def scoring(game: AnyGame) -> dict[str, str]:
    """The events that the rules name, with what each pays."""
    lines = game.rules.partition("\nScoring:\n")[2].split("\n")
    found = [re.fullmatch(r"- (.+?): (.+)", line) for line in lines]
    assert found
    assert all(found)
    return {match[1]: match[2] for match in found if match}


def shown(game: AnyGame, config: Config) -> list[tuple[str, str]]:
    """Every text that a player sees during some episodes, and what it is."""
    texts = []
    for seed in (1, BIG_SEED):
        for name in ("random", "idle", "greedy", "nonsense", "mixed"):
            steps = walk(game, config, seed, policy(game, name, seed))
            texts += [("observation", game.observe(steps[0].before)), ("recall", game.recall(steps[0].before))]
            for _, _, step in steps:
                texts.append(("observation", game.observe(step.state)))
                texts.append(("recall", game.recall(step.state)))
                texts.append(("feedback", step.feedback))
    return texts


@every_case
def test_every_text_is_plain_ascii(game: AnyGame, config: Config) -> None:
    fixed = [("rules", game.rules), ("numbers", game.numbers(config)), ("layout", game.layout(game.start(config, 1)))]
    for kind, text in fixed + shown(game, config):
        assert re.fullmatch(r"[ -~\n]+", text), (kind, text)
        assert not re.search(r" $", text, re.MULTILINE), (kind, text)
        assert text == text.strip("\n"), (kind, text)


@every_case
def test_feedback_is_one_line(game: AnyGame, config: Config) -> None:
    assert all("\n" not in text for kind, text in shown(game, config) if kind == "feedback")


@every_case
def test_GM_26_no_text_of_an_episode_tells_the_score_or_the_seed(game: AnyGame, config: Config) -> None:
    for kind, text in shown(game, config):
        assert not SECRET.search(text), (kind, text)
        assert str(BIG_SEED) not in text


@every_game
def test_the_rules_name_the_actions_and_what_every_event_pays(game: AnyGame) -> None:
    assert re.search(r"^Action format: <[^<>\n]+>$", game.rules, re.MULTILINE)
    assert f"\nAction format: {game.action_form}\n" in game.rules
    events = scoring(game)
    assert events["You ended the episode"] == "0"
    assert "Answer:" not in game.rules


@every_case
def test_every_feedback_starts_with_one_event_of_the_rules_and_pays_what_they_say(
    game: AnyGame, config: Config
) -> None:
    events = scoring(game)
    for seed in range(6):
        for name in ("random", "greedy", "nonsense", "mixed"):
            for _, _, step in walk(game, config, seed, policy(game, name, seed)):
                named = [event for event in events if step.feedback.startswith(event)]
                assert len(named) == 1, (step.feedback, named)
                pays = events[named[0]]
                if re.fullmatch(r"[+-]?\d+", pays):
                    assert pays == f"{number(step.reward):+}".replace("+0", "0")


def changed(value: Value) -> Value:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    assert isinstance(value, tuple)
    return value[::-1]


@every_case
def test_GM_05_the_numbers_in_the_prompt_are_the_numbers_of_the_config(game: AnyGame, config: Config) -> None:
    for name, value in values(config).items():
        for known in (value, changed(value)):
            text = game.numbers(varied(config, {name: known}))
            if type(known) is int:
                assert re.search(rf"(?<!\S){known}(?![\w/])", text), (name, known)
        if changed(value) != value:
            assert game.numbers(varied(config, {name: changed(value)})) != game.numbers(config), name


@every_game
def test_the_rules_hold_under_every_config_and_the_numbers_tell_them_apart(game: AnyGame) -> None:
    assert "strict rules" in game.rules
    assert "permissive rules" in game.rules
    for variant in game.variants:
        assert "Permissive rules apply" in game.numbers(variant.explore)
        assert "Strict rules apply" in game.numbers(variant.strict)


@every_game
def test_the_readme_says_what_the_code_says(game: AnyGame) -> None:
    readme = (ROOT / "games" / game.id / "README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"# {game.title}\n")
    assert re.findall(r"^## (.+)$", readme, re.MULTILINE) == HEADINGS
    sections = re.split(r"^## .+$", readme, flags=re.MULTILINE)
    for text in (game.rules, *map(game.numbers, game.configs)):
        assert f"```text\n{text}\n```" in sections[1]
    assert f"```text\n{game.observe(game.start(game.explore, 1))}\n```" in sections[2]
    assert f"Rules version: {game.rules_version}\n" in readme


def spread(sample: list[float], figure: float) -> float:
    """The standard deviation of a score; of wins and losses, where rare wins may be missed, by their share."""
    return (figure * (1 - figure)) ** 0.5 if {*sample} <= {0.0, 1.0} else stdev(sample)


@every_game
def test_the_readme_gives_the_baselines_as_they_play(game: AnyGame) -> None:
    """The printed means lie within four standard errors of the means of fewer seeds."""
    readme = (ROOT / "games" / game.id / "README.md").read_text(encoding="utf-8")
    printed = dict(re.findall(r"^\| (\w+) \| [^|]+ \| ([\d.]+) \|$", readme, re.MULTILINE))
    assert set(printed) - {"oracle"} == set(game.baselines)
    assert ("oracle" in printed) == (game.oracle is not None)
    for name, figure in printed.items():
        sample = scores(game.id, name)
        assert abs(mean(sample) - float(figure)) <= 4 * spread(sample, float(figure)) / len(sample) ** 0.5, name


@every_game
def test_better_play_scores_more_on_the_mean_of_many_seeds(game: AnyGame) -> None:
    names = ["random", "greedy"] + (["oracle"] if game.oracle else [])
    means = [mean(scores(game.id, name)) for name in names]
    assert means == sorted(means)


@pytest.mark.parametrize(
    ("points", "recorded"),
    [(0, "0"), (-1, "-1"), (Fraction(0), "0"), (-Fraction(0, 5), "0"), (Fraction(6, 3), "2"), (Fraction(1, 4), "0.25")],
)
def test_RP_11_recorded_points_are_never_minus_zero(points: int | Fraction, recorded: str) -> None:
    assert repr(number(points)) == recorded
