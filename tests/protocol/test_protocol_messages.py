"""Context digests: exactly the messages, in one reading only."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import Hashing, Message, Role, messages_digest

ROLES: tuple[Role, ...] = ("system", "user", "assistant")
message = st.builds(
    Message, st.sampled_from(ROLES), st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)
)


def test_the_digest_is_content_length_and_role_of_each_message() -> None:
    data = b"hi" + (2).to_bytes(8, "big") + b"s" + "é".encode() + (2).to_bytes(8, "big") + b"u"
    assert messages_digest([Message("system", "hi"), Message("user", "é")]) == hashlib.sha256(data).hexdigest()


@given(st.lists(message, max_size=4), st.lists(message, max_size=4))
def test_different_messages_have_different_digests(first: list[Message], second: list[Message]) -> None:
    assert (messages_digest(first) == messages_digest(second)) == (first == second)


def test_a_boundary_between_messages_cannot_be_moved() -> None:
    assert messages_digest([Message("user", "ab"), Message("user", "c")]) != messages_digest(
        [Message("user", "a"), Message("user", "bc")]
    )


def test_a_copy_goes_its_own_way() -> None:
    hashing = Hashing()
    hashing.add("shared")
    twin = hashing.copy()
    twin.add(" more")
    for each in (hashing, twin):
        each.close("user")
    assert hashing.hexdigest() == messages_digest([Message("user", "shared")])
    assert twin.hexdigest() == messages_digest([Message("user", "shared more")])
