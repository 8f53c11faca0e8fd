"""Trust Evolution: the rules."""

from __future__ import annotations

from typing import NamedTuple

from games import text
from games.base import STANDARD, End, Game, Step, Variant, is_strict, limit, refusal
from games.rng import below, check_seed, draws
from games.trust import baselines
from games.trust.config import EXPLORE, SIGHTED_EXPLORE, SIGHTED_STRICT, STRICT, TrustConfig
from games.trust.opponents import CHEAT, COLLABORATE, OPPONENTS, PAYOFFS, WORDS

ID = "trust"
RULES_VERSION = 2

_NAMES = tuple(OPPONENTS)
_ACTIONS = {word.upper(): letter for letter, word in WORDS.items()}
_INVALID = "-"
_SHOWN = {**WORDS, _INVALID: "invalid (the opponent saw collaborate)"}
_PAST = {COLLABORATE: "collaborated", CHEAT: "cheated"}
_EVENTS = {(player, answer): f"You {_PAST[player]} and the opponent {_PAST[answer]}" for player, answer in PAYOFFS}
_UNREADABLE = f"expected exactly one of {', '.join(WORDS.values())}"

_NO_ROUND = "\nNo round has been played."

_ACTION_FORM = f"<{'|'.join(WORDS.values())}>"

RULES = f"""\
Trust Evolution

You and an opponent play a fixed number of rounds. In each round both choose at once, without seeing the \
other's choice: collaborate or cheat. What you score in a round depends on both choices; only your own score \
counts.

Rules:
- The opponent follows one and the same strategy through all rounds of an episode. You are not told which. A \
strategy may react to the earlier actions of both players, or to nothing, or play by chance; none knows your \
present choice or the choices you will make.
- The strategy is drawn anew for every episode. Some may come up more often than others; under permissive rules \
hostile ones are rarer than under strict rules.
- The actions are collaborate and cheat, in upper or lower case. Anything but exactly one of them is an invalid \
action: the opponent sees a collaboration and plays its own action, and you score nothing in that round.
- Every action uses up one round, also an invalid one. The episode ends after the last round. What you scored \
until then is kept in every case.

Action format: {_ACTION_FORM}

Scoring:
{chr(10).join([f"- {event}: {PAYOFFS[pair]:{'+' if PAYOFFS[pair] else ''}}" for pair, event in _EVENTS.items()])}
- Invalid action: 0
- You ended the episode: 0"""


class TrustState(NamedTuple):
    """One moment of an episode; actions are kept as one letter a round."""

    config: TrustConfig
    steps: int
    end: End | None
    opponent: str
    """The name of the opponent; the player never sees it."""
    coins: tuple[float, ...]
    """One draw for each round."""
    player: str
    """The player's actions, invalid ones marked."""
    answers: str
    """The opponent's actions."""
    told: str
    """The rounds that were played as the observation tells them, so that no round is written twice."""

    @property
    def seen(self) -> str:
        """Return the player's actions as the opponent sees them."""
        return self.player.replace(_INVALID, COLLABORATE)


def numbers(config: TrustConfig) -> str:
    """Return this config's numbers in words."""
    if len(set(config.weights)) == 1:
        drawn = "each strategy of the opponent is equally likely"
    else:
        kind = "trusting" if config.trust > 0 else "hostile and unforgiving" if config.trust < 0 else "some"
        drawn = f"{kind} strategies of the opponent come up more often"
    return f"Rounds: {config.max_steps}\n{'Strict' if is_strict(config) else 'Permissive'} rules apply: {drawn}."


def start(config: TrustConfig, seed: int) -> TrustState:
    """Return the first state of an episode."""
    coins = draws(ID, RULES_VERSION, config.id, seed, "coins", config.max_steps)
    return TrustState(config, 0, None, _opponent(config, seed), coins, "", "", "")


def observe(state: TrustState) -> str:
    """Return what the player sees."""
    head = f"Round {min(state.steps + 1, state.config.max_steps)} of {state.config.max_steps}"
    return f"{head}{state.told or _NO_ROUND}"


def layout(state: TrustState) -> str:
    """Return the opponent, with its coin tosses where it plays by them."""
    opponent = OPPONENTS[state.opponent]
    if state.opponent != "random":
        return state.opponent
    return f"{state.opponent} {''.join([opponent('', '', coin) for coin in state.coins])}"


def move(state: TrustState, action: str) -> Step[TrustState]:
    """Play one round."""
    config, steps, _, opponent, coins, player, answers, told = state
    answer = OPPONENTS[opponent](state.seen, answers, coins[steps])
    played = _ACTIONS.get(text.word(action), _INVALID)
    steps += 1
    end = limit(None, steps, config)
    told = f"{told}\nRound {steps}: {_LINES[played, answer]}"
    state = TrustState(config, steps, end, opponent, coins, player + played, answers + answer, told)
    if played == _INVALID:
        return Step(state, f"{refusal(_UNREADABLE)} The opponent {_PAST[answer]}.", 0)
    pair = played, answer
    return Step(state, f"{_EVENTS[pair]}.", PAYOFFS[pair])


def _opponent(config: TrustConfig, seed: int) -> str:
    """Return the name of the opponent that an episode is played against.

    Under strict rules as many neighbouring seeds as the weights sum to meet every opponent by its weight.
    """
    total = sum(config.weights)
    if is_strict(config):
        place = check_seed(seed) % total
    else:
        (draw,) = draws(ID, RULES_VERSION, config.id, seed, "opponent", 1)
        place = below(draw, total)
    for name, weight in zip(_NAMES, config.weights, strict=True):
        place -= weight
        if place < 0:
            return name
    raise AssertionError(f"{place} more lies beyond the weights {config.weights}")


_LINES = {
    (player, answer): f"you {shown}, opponent {WORDS[answer]}" for player, shown in _SHOWN.items() for answer in WORDS
}

TRUST: Game[TrustConfig, TrustState] = Game(
    id=ID,
    title="Trust Evolution",
    rules_version=RULES_VERSION,
    variants=(Variant(STANDARD, EXPLORE, STRICT), Variant("sighted", SIGHTED_EXPLORE, SIGHTED_STRICT)),
    rules=RULES,
    action_form=_ACTION_FORM,
    numbers=numbers,
    start=start,
    observe=observe,
    move=move,
    layout=layout,
    distinct_layouts=False,
    streams=("coins", "opponent"),
    recall=observe,
    baselines={"random": baselines.random, "idle": baselines.idle, "greedy": baselines.greedy},
    oracle=baselines.oracle,
)
