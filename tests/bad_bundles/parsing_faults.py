"""Faults that step 3 must find: what is no strict, typed record of a known version."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.bad_bundles.bad import Bad, Make, cost, episode, listed, manifest, memory, setting, signed, step
from tests.scoring.forge import Parts

FILE = "episodes/snake.jsonl"


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "parsing", changed, says, make)


def _content(change: Callable[[bytes], bytes]) -> Make:
    """Change the bytes of Snake's episodes before they are compressed and signed."""

    def rewrite(parts: Parts) -> None:
        before = b"".join(json.dumps(line).encode() + b"\n" for line in parts.episodes())
        parts.raw[FILE] = change(before)
        assert parts.raw[FILE] != before

    return signed(rewrite)


def _swap(old: bytes, new: bytes) -> Make:
    return _content(lambda content: content.replace(old, new, 1))


def _many_costs(parts: Parts) -> None:
    parts.lines["costs/snake.jsonl"] = parts.lines["costs/snake.jsonl"][:1] * 100


def _three_times_the_costs(parts: Parts) -> None:
    parts.lines["costs/snake.jsonl"] *= 3


def _no_game(parts: Parts) -> None:
    parts.lines.clear()
    parts.manifest.update(games=[])


def _files_of(game: str, count: int) -> Callable[[Parts], None]:
    """Lay the files of Snake once more under another game's name."""

    def change(parts: Parts) -> None:
        for kind in ("episodes", "costs"):
            parts.lines[f"{kind}/{game}.jsonl"] = parts.lines[f"{kind}/snake.jsonl"]
        games = parts.manifest["games"]
        assert isinstance(games, list)
        games += [{"game": game, "rules_version": 1}] * count

    return change


NUMBERS = (
    _bad("reward-nan", "NaN.", ("line 1", "finite numbers", "NaN"), _swap(b'"reward": 0.0', b'"reward": NaN')),
    _bad("reward-infinite", "-Infinity.", ("-Infinity",), _swap(b'"reward": 0.0', b'"reward": -Infinity')),
    _bad("reward-overflowing", "1e999.", ("finite", "1e999"), _swap(b'"reward": 0.0', b'"reward": 1e999')),
    _bad("reward-negative-zero", "-0.0.", ("zero without a sign",), _swap(b'"reward": 0.0', b'"reward": -0.0')),
    _bad("reward-bool", "true.", ("steps.0.reward", "True"), signed(setting(step, reward=True))),
    _bad("reward-text", '"1".', ("steps.0.reward", "'1'"), signed(setting(step, reward="1"))),
    _bad("reward-null", "null.", ("steps.0.reward", "None"), signed(setting(step, reward=None))),
    _bad("reward-beyond-any-game", "Over 10^9.", ("steps.0.reward",), signed(setting(step, reward=1.5e9))),
    _bad("self-score-nan", "NaN.", ("NaN",), _swap(b'"score": 0.0', b'"score": NaN')),
    _bad("self-score-beyond-2-to-the-53", "2^53 + 1.", ("2^53",), signed(setting(step, score=2**53 + 1))),
    _bad(
        "self-score-beyond-2-to-the-53-with-a-point",
        "2^53 + 1, with a point and a zero.",
        ("at most 2^53 - 1", "9007199254740993.0"),
        _swap(b'"score": 0.0', b'"score": 9007199254740993.0'),
    ),
    _bad("index-negative", "-1.", ("index",), signed(setting(episode, index=-1))),
    _bad("index-fraction", "0.5.", ("index",), signed(setting(episode, index=0.5))),
    _bad("index-bool", "false.", ("index",), signed(setting(episode, index=False))),
    _bad(
        "index-of-4400-digits",
        "4,400 nines.",
        ("line 1", "4400 digits"),
        _content(lambda content: b'{"index": ' + b"9" * 4_400 + b"}\n"),
    ),
    _bad("tokens-beyond-any-reply", "10^9 + 1.", ("tokens_in",), signed(setting(cost, tokens_in=10**9 + 1))),
    _bad("requests-beyond-any-run", "2^53 - 1.", ("requests",), signed(setting(cost, requests=2**53 - 1))),
    _bad("seconds-beyond-any-run", "1e10.", ("seconds",), signed(setting(cost, seconds=1e10))),
    _bad("seed-number", "1.", ("seed",), signed(setting(episode, seed=1))),
    _bad("seed-leading-zero", "01.", ("seed",), signed(setting(episode, seed="01"))),
    _bad("seed-signed", "+1.", ("seed",), signed(setting(episode, seed="+1"))),
    _bad("seed-fraction", "1.0.", ("seed",), signed(setting(episode, seed="1.0"))),
    _bad("seed-beyond-63-bits", "20 digits.", ("seed",), signed(setting(episode, seed="1" * 20))),
)

SHAPES = (
    _bad(
        "step-field-twice",
        "Two rewards.",
        ("each key once", "reward"),
        _swap(b'"reward":', b'"reward": 9.0, "reward":'),
    ),
    _bad(
        "step-field-twice-escaped",
        "A second score in escapes.",
        ("each key once", "score"),
        _swap(b'"score":', b'"\\u0073core": 9.0, "score":'),
    ),
    _bad("step-field-unknown", "A bonus.", ("steps.0.bonus",), signed(setting(step, bonus=1))),
    _bad("step-field-in-other-case", "Reward beside reward.", ("steps.0.Reward",), signed(setting(step, Reward=1.0))),
    _bad("step-field-missing", "No reply.", ("steps.0.reply",), signed(lambda parts: parts.step().pop("reply"))),
    _bad("end-of-no-kind", "An end that no game has.", ("end",), signed(setting(episode, end="draw"))),
    _bad("phase-of-no-kind", "A third phase.", ("phase",), signed(setting(episode, phase="test"))),
    _bad(
        "digest-in-capitals",
        "A digest in capitals.",
        ("start_digest",),
        signed(setting(episode, start_digest="A" * 64)),
    ),
    _bad("steps-of-one-object", "An object for a list.", ("steps",), signed(setting(episode, steps={}))),
    _bad("half-a-surrogate-pair", "Half a character.", ("JSON",), _swap(b'"reply": "', b'"reply": "\\ud800')),
    _bad(
        "invalid-utf-8", "A byte that is no UTF-8.", ("line 1", "UTF-8 text"), _swap(b'"reply": "', b'"reply": "\xff')
    ),
    _bad("line-with-bom", "A byte order mark.", ("line 1", "BOM"), _content(lambda content: b"\xef\xbb\xbf" + content)),
    _bad("line-of-nul", "A NUL.", ("line 1", "JSON"), _content(lambda content: b"\0\n" + content)),
    _bad(
        "line-of-100000-brackets", "A deep list.", ("deep nesting",), _content(lambda content: b"[" * 100_000 + b"\n")
    ),
    _bad("line-of-a-list", "A list for an object.", ("a valid EpisodeRecord",), _content(lambda content: b"[]\n")),
    _bad("line-with-two-records", "Two in one line.", ("Extra data",), _content(lambda c: c.replace(b"\n", b" ", 1))),
    _bad("line-empty", "An empty line.", ("line 2", "an empty one"), _content(lambda c: c.replace(b"\n", b"\n\n", 1))),
    _bad("last-line-not-ended", "No newline.", ("a newline at the end",), _content(lambda content: content[:-1])),
    Bad(
        "line-too-long",
        "parsing",
        "With the limit scaled down, a line of more bytes.",
        ("at most 30000 bytes a line",),
        _content(lambda content: b" " * 30_001 + content),
        patches={"protocol.bundle.MAX_LINE": 30_000},
    ),
    Bad(
        "line-without-an-end",
        "parsing",
        "With the limits scaled down, a line that goes on and on.",
        ("at most 30000 bytes a line",),
        _content(lambda content: b"x" * 100_000),
        patches={"protocol.bundle.MAX_LINE": 30_000, "protocol.bundle._CHUNK": 1 << 12},
    ),
    Bad(
        "too-many-lines",
        "parsing",
        "With the limit scaled down, more lines than any run has.",
        ("at most 64 lines",),
        signed(_three_times_the_costs),
        patches={"protocol.bundle.MAX_LINES": 64},
    ),
)

AMOUNTS = (
    _bad(
        "values-beyond-any-record",
        "70,000 lists in place of a step.",
        ("line 1", "at most 131072 texts, commas and brackets"),
        _content(lambda content: content.replace(b'"steps": [', b'"steps": [' + b"[]," * 70_000, 1)),
    ),
    _bad(
        "episodes-beyond-any-run",
        "Nine episodes, where a run has four.",
        (FILE, "at most 8 records"),
        _content(lambda content: content * 2 + content.split(b"\n")[0] + b"\n"),
    ),
    _bad("costs-beyond-any-run", "A hundred costs.", ("costs/snake", "at most 76 records"), signed(_many_costs)),
    _bad(
        "steps-beyond-any-episode",
        "65 steps.",
        ("line 1", "steps", "at most 64 items"),
        signed(lambda parts: parts.episode().update(steps=[parts.step()] * 65)),
    ),
)

LENGTHS = (
    *(
        _bad(
            f"{field.replace('_', '-')}-beyond-any-endpoint",
            "1,001 characters.",
            ("costs/snake", field, "at most 1000 characters"),
            signed(setting(cost, **{field: "x" * 1_001})),
        )
        for field in ("model", "request_id", "fingerprint")
    ),
    _bad(
        "memory-beyond-any-reply",
        "1,200,001 characters.",
        ("memory/snake", "memory", "at most 1200000 characters"),
        signed(setting(memory, memory="x" * 1_200_001), "summary"),
    ),
)

VERSIONS = (
    _bad(
        "protocol-unknown",
        "A protocol of nobody.",
        ("protocol", "no-such-1"),
        signed(setting(manifest, protocol="no-such-1")),
    ),
    _bad(
        "protocol-of-another-digest",
        "Changed.",
        ("protocol_digest",),
        signed(setting(manifest, protocol_digest="0" * 64)),
    ),
    _bad(
        "rules-of-another-version",
        "Version 3 of Snake.",
        ("games", "rules version 2", "version 3"),
        signed(setting(lambda parts: listed(parts.manifest["games"])[0], rules_version=3)),
    ),
    _bad("game-unknown", "The game of go.", ("games", "game go"), signed(_files_of("go", 1))),
    _bad("game-twice", "Chess twice.", ("games", "a game twice"), signed(_files_of("chess", 2))),
    _bad(
        "no-game",
        "No game at all.",
        ("games", "one or more games", "none"),
        signed(_no_game),
    ),
)

FAULTS = (*NUMBERS, *SHAPES, *AMOUNTS, *LENGTHS, *VERSIONS)
