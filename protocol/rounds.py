"""New rounds: the same protocol on fresh seeds, published as a new preset."""

from __future__ import annotations

import json

from games.registry import GAMES
from protocol.digests import layout_digest
from protocol.preset import Preset, parse_preset
from protocol.schedule import explore_seeds, strict_seeds


def new_round(base: Preset, preset_id: str, title: str) -> tuple[Preset, str]:
    """Return a preset like another one, on a round of its own, and its TOML text.

    Raises:
        ValueError: If the id is taken or not valid, or two levels of the new round collide.
    """
    if preset_id == base.id:
        raise ValueError(f"round: expected an id other than {base.id!r}; a released preset never changes")
    text = preset_toml(base.model_copy(update={"id": preset_id, "round": preset_id, "title": title}))
    preset = parse_preset(text, f"round {preset_id}")
    collisions = layout_collisions(preset)
    if collisions:
        raise ValueError(f"round {preset_id}: its levels collide ({'; '.join(collisions)}); choose another id")
    return preset, text


def layout_collisions(preset: Preset) -> tuple[str, ...]:
    """Return every pair of seeds of a preset that give the same level, for games whose levels must differ."""
    collisions: list[str] = []
    for game in GAMES:
        if not game.distinct_layouts or game.id not in preset.games:
            continue
        seen: dict[str, str] = {}
        for phase, seeds in (("explore", explore_seeds(preset, game.id)), ("strict", strict_seeds(preset, game.id))):
            config = preset.config(game, "explore" if phase == "explore" else "strict")
            for index, seed in enumerate(seeds):
                place = f"{game.id} {phase} {index}"
                other = seen.setdefault(layout_digest(game, game.start(config, seed)), place)
                if other != place:
                    collisions.append(f"{other} and {place}")
    return tuple(collisions)


def preset_toml(preset: Preset) -> str:
    """Return a preset as the TOML text of its file."""
    lines: list[str] = []
    tables: list[str] = []
    for name, value in preset.model_dump(mode="json").items():
        if name == "limits":
            tables += ["", "[limits]", *(f"{key} = {json.dumps(each)}" for key, each in value.items())]
        elif name == "games":
            for game, fields in value.items():
                tables += ["", f"[games.{game}]", *(f"{key} = {json.dumps(each)}" for key, each in fields.items())]
        elif value is not None:
            lines.append(f"{name} = {json.dumps(value)}")
    return "\n".join(lines + tables) + "\n"
