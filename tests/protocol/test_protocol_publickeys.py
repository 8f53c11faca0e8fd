"""Public keys and their registrations: weak ones are refused, and nobody registers a key that is not theirs."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import BundleError
from protocol.publickeys import check_public_key
from protocol.signing import TeamKey, check_registration, generate_key, load_key, sign, team_key, write_team_key
from protocol.strictjson import read_record

PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME
Point = tuple[int, int]


def add(left: Point, right: Point) -> Point:
    """Add two points of the twisted Edwards curve of RFC 8032, by its plain formula."""
    (x1, y1), (x2, y2) = left, right
    product = D * x1 * x2 * y1 * y2 % PRIME
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, PRIME)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, PRIME)
    return x % PRIME, y % PRIME


def multiple(point: Point, times: int) -> Point:
    found = (0, 1)
    while times:
        if times & 1:
            found = add(found, point)
        point, times = add(point, point), times >> 1
    return found


def x_of(y: int) -> int | None:
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    root = pow(square, (PRIME + 3) // 8, PRIME)
    for x in (root, root * pow(2, (PRIME - 1) // 4, PRIME) % PRIME):
        if x * x % PRIME == square:
            return x
    return None


def small_points() -> set[Point]:
    """Return all eight points whose order divides 8: what the group order leaves of points of the whole curve."""
    order = 2**252 + 27742317777372353535851937790883648493
    found: set[Point] = set()
    y = 2
    while len(found) < 8:
        x = x_of(y)
        if x is not None:
            torsion = multiple((x, y), order)
            found |= {multiple(torsion, times) for times in range(8)}
        y += 1
    return found


def encodings(y: int) -> list[str]:
    """Return every 32 bytes that some reader takes for this y: both signs, and y + p where it fits."""
    values = [value for value in (y, y + PRIME) if value < 2**255]
    return [(value | sign << 255).to_bytes(32, "little").hex() for value in values for sign in (0, 1)]


def test_every_encoding_of_every_point_of_small_order_is_refused() -> None:
    points = small_points()
    assert len(points) == 8
    for _, y in points:
        for text in encodings(y):
            with pytest.raises(ValueError, match=r"large order|canonical"):
                check_public_key(text)


@pytest.mark.parametrize("y", range(19))
def test_an_encoding_beyond_the_prime_is_refused(y: int) -> None:
    for text in encodings(y)[2:]:
        with pytest.raises(ValueError, match="canonical"):
            check_public_key(text)


@pytest.mark.parametrize(
    "text", ["", "00" * 32, "ab" * 31, "ab" * 33, "AB" * 32, "zz" * 32, " " + "ab" * 31 + "a", "ab" * 32 + "\n"]
)
def test_a_malformed_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        check_public_key(text)


@given(st.binary(min_size=32, max_size=32))
def test_every_key_that_is_honestly_made_is_taken(seed: bytes) -> None:
    text = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()
    assert check_public_key(text) == text


KEY, OTHER = load_key(generate_key()), load_key(generate_key())


def test_a_registration_file_with_a_weak_key_is_refused_by_name() -> None:
    data = write_team_key(team_key("red", KEY).model_copy(update={"public_key": "00" * 32}))
    with pytest.raises(BundleError, match="large order"):
        read_record(TeamKey, data, "red.json")


def test_a_registration_proves_itself() -> None:
    check_registration(team_key("red", KEY), "red.json")


@pytest.mark.parametrize(
    "change",
    [
        {"team": "blue"},
        {"proof": None},
        {"proof": team_key("red", OTHER).proof},
        {"proof": team_key("blue", KEY).proof},
        {"public_key": team_key("red", OTHER).public_key, "keyid": team_key("red", OTHER).keyid},
        {"keyid": "0" * 64},
        {"replaces": "0" * 64},
    ],
)
def test_a_registration_of_a_key_that_is_not_ones_own_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BundleError):
        check_registration(team_key("red", KEY).model_copy(update=change), "red.json")


def test_a_bundle_signature_is_no_registration() -> None:
    """The same words signed as another kind of document prove nothing."""
    key = team_key("red", KEY)
    assert key.proof is not None
    other = key.proof.model_copy(update={"payloadType": "application/vnd.in-toto+json"})
    with pytest.raises(BundleError, match="payloadType"):
        check_registration(key.model_copy(update={"proof": other}), "red.json")
    assert b"registration" not in sign(b"{}", KEY)


def test_a_rotation_needs_the_old_keys_consent() -> None:
    old = team_key("red", KEY)
    new = team_key("red", OTHER, replaces=KEY)
    check_registration(new, "red.json", old)
    own = new.proof
    for change in ({"consent": None}, {"consent": own}, {"replaces": None}):
        with pytest.raises(BundleError):
            check_registration(new.model_copy(update=change), "red.json", old)
    with pytest.raises(BundleError, match="replaces"):
        check_registration(team_key("red", OTHER), "red.json", old)
