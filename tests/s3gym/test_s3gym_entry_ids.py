"""The entry id that a run gets by default: a safe file name, and another one for every model."""

from __future__ import annotations

import itertools

import pytest

from protocol.names import check_name
from s3gym.preparing import entry_id

MODELS = [
    "org/m:q4",
    "org/m:q5",
    "org-m-q4",
    "org.m.q4",
    "Org/M:Q4",
    "org/m q4",
    "CON",
    "con",
    "nul.txt",
    "a*b?",
    "a-b",
    "a.b",
    "a_b",
    "-a-b-",
    "x" * 300,
    "x" * 299,
    "x" * 300 + "y",
    "../x",
    "..\\x",
    "/x",
    "x",
    "http://host:8000/v1?key=a",
    "モデル",
    "模型",
    "é",
    "…",
    "builtin:greedy",
    "builtin-greedy",
    "embedded:smollm2",
    "embedded-smollm2",
]


def test_RN_13_any_model_name_gives_a_safe_id_and_no_two_the_same() -> None:
    ids = [entry_id(*each) for each in itertools.product(MODELS, ["history", "summary"], ["smoke-1", "my.preset_2"])]
    for each in ids:
        assert check_name(each) == each
    assert len({each.lower() for each in ids}) == len(ids)


def test_RN_13_the_two_pathways_of_a_long_name_have_ids_of_their_own() -> None:
    name = "organisation/a-model-with-a-very-long-name-of-more-than-sixty-four-characters-in-all"
    assert entry_id(name, "history", "paper-1") != entry_id(name, "summary", "paper-1")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("builtin:greedy", "builtin-greedy-history-smoke-1"),
        ("embedded:smollm2", "embedded-smollm2-history-smoke-1"),
        ("my-model", "my-model-history-smoke-1"),
    ],
)
def test_a_plain_model_name_stands_in_its_id_as_it_is(model: str, expected: str) -> None:
    assert entry_id(model, "history", "smoke-1") == expected


def test_any_other_name_stands_in_its_id_beside_a_digest() -> None:
    found = entry_id("Qwen/Qwen2.5-7B-Instruct", "history", "paper-1")
    assert found.startswith("qwen-qwen2-5-7b-instruct-history-paper-1-")
