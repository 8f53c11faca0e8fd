"""Faults that step 5 must find: starts that are not those of the seed, and phases that share something."""

from __future__ import annotations

from games.base import Config
from games.registry import AnyGame
from protocol.records import Phase
from protocol.schedule import seed_of
from scoring.starts import Start, start_of
from tests.bad_bundles.bad import Bad, Make, episode, setting, signed
from tests.bad_bundles.good import Good, preset_of
from tests.bundles import KEY
from tests.scoring.forge import forge


def _one_phase(round_name: str, game: str, phase: Phase, index: int, strata: int = 1) -> int:
    """Give strict episodes the seeds of the exploration: a schedule as it must not be."""
    return seed_of(round_name, game, "explore", index, 1)


def _one_stream(game: AnyGame, config: Config, seed: int) -> Start:
    return start_of(game, config, seed)._replace(derived=(0,))


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "separation", changed, says, make)


def _fresh(good: Good) -> Good:
    """Return good bundles that are played anew, under the patches that hold now."""
    number = sum(1 for each in good.folder.iterdir())
    return Good(good.folder / f"fresh-{number}")


FAULTS = (
    _bad(
        "start-of-another-level",
        "Zeros.",
        ("strict x=0 #0", "start_digest"),
        signed(setting(episode, start_digest="0" * 64)),
    ),
    _bad(
        "layout-of-another-level",
        "Zeros.",
        ("strict x=0 #0", "layout_digest"),
        signed(setting(episode, layout_digest="0" * 64)),
    ),
    _bad(
        "start-of-an-exploration",
        "The start of the other phase.",
        ("strict x=0 #0", "start_digest"),
        signed(lambda parts: parts.episode().update(start_digest=parts.episode(phase="explore")["start_digest"])),
    ),
    Bad(
        "strict-seed-explored",
        "separation",
        "A run of a round whose strict seeds are those of the exploration.",
        ("no seed in both phases",),
        lambda good, target: forge(_fresh(good).bundle("history"), target, KEY, lambda parts: None),
        patches={"protocol.schedule.seed_of": _one_phase},
        good_passes=False,
    ),
    Bad(
        "derived-seed-shared",
        "separation",
        "A run of an engine whose generators all begin alike.",
        ("no derived seed in both phases",),
        signed(lambda parts: None),
        patches={"scoring.checks.separation.start_of": _one_stream},
        good_passes=False,
    ),
    Bad(
        "level-explored",
        "separation",
        "A run of a round in which a strict level is that of an exploration.",
        ("no level in both phases", "tetris"),
        signed(lambda parts: None, "one-step"),
        preset_of=preset_of,
    ),
)
