"""Trust Evolution: the payoffs and the eight opponents, each by its textbook definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

COLLABORATE = "C"
CHEAT = "D"
WORDS: Mapping[str, str] = MappingProxyType({COLLABORATE: "collaborate", CHEAT: "cheat"})

PAYOFFS: Mapping[tuple[str, str], int] = MappingProxyType(
    {
        (COLLABORATE, COLLABORATE): 2,
        (COLLABORATE, CHEAT): -1,
        (CHEAT, COLLABORATE): 3,
        (CHEAT, CHEAT): 0,
    }
)
"""Points of the player by (the player's action, the opponent's action)."""

Opponent = Callable[[str, str, float], str]
"""What an opponent plays, given the player's actions and its own, one letter a round, and one draw in [0, 1)."""


def copycat(player: str, _own: str, _draw: float) -> str:
    """Collaborate first, then repeat the player's last action (tit for tat)."""
    return player[-1:] or COLLABORATE


def nice(_player: str, _own: str, _draw: float) -> str:
    """Always collaborate."""
    return COLLABORATE


def cheater(_player: str, _own: str, _draw: float) -> str:
    """Always cheat."""
    return CHEAT


def grudger(player: str, _own: str, _draw: float) -> str:
    """Collaborate until the player has cheated once, then cheat for ever."""
    return CHEAT if CHEAT in player else COLLABORATE


def detective(player: str, own: str, _draw: float) -> str:
    """Probe with C D C C; then always cheat if the player never cheated in those rounds, else be a copycat."""
    if len(own) < len(_PROBE):
        return _PROBE[len(own)]
    return player[-1] if CHEAT in player[: len(_PROBE)] else CHEAT


def copykitten(player: str, _own: str, _draw: float) -> str:
    """Cheat only if the player cheated in both of the last two rounds (tit for two tats)."""
    return CHEAT if player.endswith(CHEAT * 2) else COLLABORATE


def simpleton(player: str, own: str, _draw: float) -> str:
    """Collaborate first; repeat its own last action if the player collaborated, else switch (win-stay, lose-shift)."""
    if not own or player[-1] == COLLABORATE:
        return own[-1:] or COLLABORATE
    return COLLABORATE if own[-1] == CHEAT else CHEAT


def coin(_player: str, _own: str, draw: float) -> str:
    """Collaborate or cheat with equal chances, whatever happened."""
    return COLLABORATE if draw < 0.5 else CHEAT


_PROBE = COLLABORATE + CHEAT + COLLABORATE * 2

OPPONENTS: Mapping[str, Opponent] = MappingProxyType(
    {
        "copycat": copycat,
        "nice": nice,
        "cheater": cheater,
        "grudger": grudger,
        "detective": detective,
        "copykitten": copykitten,
        "simpleton": simpleton,
        "random": coin,
    }
)
"""By name, in the order that strict seeds count in: a change of the order is a change of the rules version."""
