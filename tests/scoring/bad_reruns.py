"""The one list of bad re-runs, each signed with the organisers' very key unless the key is the fault."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass

from protocol.bundle import file_name
from protocol.decoding import decoding_at
from protocol.signing import generate_key, load_key, sign
from scoring.confirmation import CONFIRMATION, CONFIRMATION_TYPE
from scoring.signed_registry import REGISTRY_TYPE
from tests.bundles import KEY
from tests.scoring.forge import Fields, Json
from tests.scoring.reruns import EPISODES, LAST, ROOT_KEY, Change, Told, nothing

SNAKE = file_name("episodes", "snake")
STRANGER = load_key(generate_key())


@dataclass(frozen=True)
class Bad:
    """One fault of a re-run."""

    check: str
    name: str
    says: str
    """What the message must hold."""
    change: Change = nothing
    """What is done to the episodes; digests and numbers are made right again."""
    tell: Change = nothing
    """What is done to the rest."""
    readable: bool = True
    """Whether anything could be looked at without that check."""
    pathway: str = "history"


def telling(**values: Json) -> Change:
    return lambda told: told.payload.update(values)


def asking(**values: Json) -> Change:
    return telling(decoding={**decoding_at(0.0).model_dump(mode="json"), **values})


def game(**values: Json) -> Change:
    return lambda told: told.game().update(values)


def episode(**values: Json) -> Change:
    return lambda told: told.lines["snake"][0].update(values)


def step(index: int = 0, **values: Json) -> Change:
    return lambda told: told.step(index).update(values)


def setting(name: str, value: object) -> Change:
    return lambda told: setattr(told, name, value)


def games(told: Told) -> list[Json]:
    found = told.payload["games"]
    assert isinstance(found, list)
    return found


def steps(told: Told) -> list[Json]:
    found = told.lines["snake"][0]["steps"]
    assert isinstance(found, list)
    return found


def raised(name: str) -> Change:
    """Raise a number of a game by one."""

    def tell(told: Told) -> None:
        value = told.game()[name]
        assert isinstance(value, (int, float))
        told.game()[name] = value + 1

    return tell


def other_signature(told: Told) -> None:
    """Put another payload under the organisers' signature."""
    envelope: Fields = json.loads(sign(b"{}", ROOT_KEY, CONFIRMATION_TYPE))
    own: Fields = json.loads(sign(json.dumps(told.payload).encode(), ROOT_KEY, CONFIRMATION_TYPE))
    told.raw[CONFIRMATION] = json.dumps({**own, "signatures": envelope["signatures"]}).encode()


def of_the_entry_itself(told: Told) -> None:
    """Show the entry's own last checkpoint as a re-run: every prompt, reward and number of it is right."""
    told.lines = told.own
    told.payload["strict_episodes"] = len(told.own["snake"])


def on_its_own_round(told: Told) -> None:
    told.name = "smoke-1"
    told.payload["round"] = "smoke-1"


def as_failed(told: Told) -> None:
    """Say of an episode with a bad outcome that the endpoint failed, after its last step."""
    told.lines["snake"][0].update(status="failed", failure="transport", end=None, score=None)


def line(data: bytes) -> Change:
    """Put a line in the place of Snake's episodes."""
    return lambda told: told.raw.update({SNAKE: gzip.compress(data + b"\n")})


def swap(told: Told) -> None:
    told.lines["snake"].reverse()


BAD = (
    Bad("files", "another-file", "no such file", tell=lambda told: told.raw.update({"README.md": b"words"})),
    Bad("files", "another-game", "tetris", tell=lambda told: told.raw.update({file_name("episodes", "tetris"): b""})),
    Bad("files", "no-episodes-of-a-game", "the file", tell=setting("without", (SNAKE,)), readable=False),
    Bad("files", "no-record", "the file", tell=setting("without", (CONFIRMATION,)), readable=False),
    Bad("signature", "by-a-stranger", "a signature by the root key", tell=setting("key", STRANGER)),
    Bad("signature", "by-the-team", "a signature by the root key", tell=setting("key", KEY)),
    Bad("signature", "of-another-record", "does not match", tell=other_signature),
    Bad("signature", "of-another-kind", "payloadType", tell=setting("payload_type", REGISTRY_TYPE), readable=False),
    Bad("subject", "another-entry", "entry", tell=telling(entry="other")),
    Bad("subject", "another-team", "team", tell=telling(team="blue")),
    Bad("subject", "another-bundle", "bundle_digest", tell=telling(bundle_digest="0" * 64)),
    Bad("subject", "another-protocol", "protocol", tell=telling(protocol="paper-1")),
    Bad("subject", "another-protocol-digest", "protocol_digest", tell=telling(protocol_digest="0" * 64)),
    Bad("subject", "another-round-than-its-folder", "round", tell=setting("name", "check-2")),
    Bad("subject", "an-earlier-checkpoint", "checkpoint", tell=telling(checkpoint=0)),
    Bad("subject", "another-temperature", "decoding.temperature", tell=asking(temperature=0.7)),
    Bad("subject", "another-effort", "decoding.reasoning effort", tell=asking(reasoning_effort="high")),
    Bad("subject", "a-game-unsaid", "games", tell=lambda told: games(told).pop()),
    Bad("subject", "a-game-twice", "games", tell=lambda told: games(told).append(games(told)[0])),
    Bad("subject", "other-rules", "rules version 99", tell=game(rules_version=99)),
    Bad("subject", "no-episode-asked-for", "strict_episodes", tell=telling(strict_episodes=0), readable=False),
    Bad("subject", "an-unknown-field", "Extra inputs", tell=telling(mark="gold"), readable=False),
    Bad("freshness", "the-entrys-own-round", "a fresh round", of_the_entry_itself, on_its_own_round),
    Bad("records", "another-digest", "the signed digest", tell=game(episodes="0" * 64)),
    Bad("records", "no-json", "JSON", tell=line(b"{"), readable=False),
    Bad("records", "a-word-for-a-reward", "reward", step(reward="1"), readable=False),
    Bad("records", "an-unknown-field-of-a-step", "Extra inputs", step(mark="gold"), readable=False),
    Bad("completeness", "one-left-out", "3 episodes, got 2", lambda told: told.lines["snake"].pop()),
    Bad(
        "completeness",
        "one-twice",
        "3 episodes, got 4",
        lambda told: told.lines["snake"].append(told.lines["snake"][2]),
    ),
    Bad("completeness", "in-another-order", "strict 0 of snake", swap),
    Bad("completeness", "the-entrys-own-episodes", "seed", of_the_entry_itself),
    Bad("completeness", "of-another-game", "of snake", episode(game="trust")),
    Bad("completeness", "of-an-earlier-checkpoint", f"checkpoint {LAST}", episode(checkpoint=0)),
    Bad("completeness", "of-a-repeat", "repeat 0", episode(replicate=1)),
    Bad("completeness", "valid-with-a-failure", "a valid episode with end and score", episode(failure="transport")),
    Bad("completeness", "another-start", "start_digest", episode(start_digest="0" * 64)),
    Bad("completeness", "another-level", "layout_digest", episode(layout_digest="0" * 64)),
    Bad("replay", "another-action", "action", step(action="LEFT OR RIGHT")),
    Bad("replay", "a-read-reply-called-unreadable", "action", step(action=None)),
    Bad("replay", "a-last-reply-exchanged", "action", lambda told: told.step(-1).update(reply="I give up")),
    Bad("replay", "a-self-score-raised", "self-score", step(score=0.99)),
    Bad("replay", "a-self-score-unsaid", "self-score", step(score=None)),
    Bad("replay", "a-reward-raised", "reward", step(reward=1.5)),
    Bad("replay", "a-last-reward-raised", "reward", step(-1, reward=1.5)),
    Bad("replay", "another-end", "end", episode(end="won")),
    Bad("replay", "a-score-raised", "score", episode(score=99.0)),
    Bad("replay", "a-last-step-left-out", "end", lambda told: steps(told).pop()),
    Bad("replay", "a-failure-after-the-end", "a failed episode to stop before its end", as_failed),
    Bad("replay", "a-reward-raised-behind-a-memory", "reward", step(reward=1.5), pathway="summary"),
    Bad("contexts", "another-prompt", "context", step(context="0" * 64)),
    Bad("contexts", "another-prompt-behind-a-memory", "context", step(context="0" * 64), pathway="summary"),
    Bad("contexts", "history-dropped", "dropped", step(dropped_episodes=1)),
    Bad("contexts", "steps-dropped", "dropped", step(-1, dropped_steps=1)),
    Bad("contexts", "a-window-slid", "dropped", step(-1, window=1)),
    Bad("contexts", "a-server-that-cut-nothing", "server overflow", step(cut="server_overflow")),
    Bad("numbers", "a-mean-raised", "mean", tell=raised("mean")),
    Bad("numbers", "an-interval-raised", "the numbers of the episodes", tell=game(low=-1.0, high=9.0)),
    Bad("numbers", "a-score-told-higher", "scores", tell=game(scores=[9.0] * EPISODES)),
    Bad("numbers", "a-score-unsaid", "scores", tell=game(scores=[])),
    Bad("numbers", "a-failure-told", "1 failed", tell=raised("failed")),
    Bad("numbers", "another-claim", "claimed", tell=game(claimed=99.0)),
    Bad("numbers", "a-claim-of-more-episodes", "claimed", tell=raised("claimed_episodes")),
)
