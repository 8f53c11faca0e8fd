"""Every dependency in pyproject.toml is in its lock, pinned and hashed, and no lock names a host or a folder."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS_OF_LOCK = {
    "adapters": ("adapters",),
    "core": (),
    "demo": ("demo",),
    "dev": ("dev",),
    "docs": ("docs",),
    "embedded": ("embedded",),
    "floor": ("run", "site", "docs", "gym", "test"),
    "gym": ("gym",),
    "run": ("run",),
    "site": ("site",),
}
OTHER_LOCKS = ("peers", "weights")
"""What no extra names: made from the `.in` file of the same name."""
PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^\s;]+)(?: ; [^\\]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")


def _extra(name: str) -> list[Requirement]:
    """Return what an extra asks for, the project's own extras inside it unfolded."""
    wanted: list[Requirement] = []
    for line in PROJECT["optional-dependencies"][name]:
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:
            wanted.extend(inner for extra in sorted(requirement.extras) for inner in _extra(extra))
        else:
            wanted.append(requirement)
    return wanted


def _wanted(lock: str) -> list[Requirement]:
    core = [Requirement(line) for line in PROJECT["dependencies"]]
    return core + [requirement for extra in EXTRAS_OF_LOCK[lock] for requirement in _extra(extra)]


def _listed(name: str) -> list[Requirement]:
    """Return what a file of requirements asks for."""
    lines = (LOCKS / name).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if not line.startswith("#")]


def _pins(lock: str) -> dict[str, list[Version]]:
    pins: dict[str, list[Version]] = {}
    for line in (LOCKS / f"{lock}.txt").read_text(encoding="utf-8").splitlines():
        if found := PIN.fullmatch(line):
            pins.setdefault(found["name"], []).append(Version(found["version"]))
    return pins


def test_there_is_one_lock_for_each_way_to_install() -> None:
    assert {path.stem for path in LOCKS.glob("*.txt")} == EXTRAS_OF_LOCK.keys() | set(OTHER_LOCKS)


@pytest.mark.parametrize("lock", EXTRAS_OF_LOCK)
def test_every_dependency_is_pinned_to_a_version_that_it_allows(lock: str) -> None:
    pins = _pins(lock)
    for requirement in _wanted(lock):
        assert requirement.name in pins, f"{lock}.txt lacks {requirement}: run `make lock`"
        assert all(version in requirement.specifier for version in pins[requirement.name])


def test_the_floor_is_the_oldest_version_that_each_dependency_allows() -> None:
    pins = _pins("floor")
    for requirement in _wanted("floor"):
        (floor,) = (Version(part.version) for part in requirement.specifier if part.operator == ">=")
        assert min(pins[requirement.name]) == floor, f"{requirement}: floor.txt tests {pins[requirement.name]}"


@pytest.mark.parametrize("lock", [*EXTRAS_OF_LOCK, *OTHER_LOCKS])
def test_every_line_of_a_lock_is_a_comment_a_pin_or_a_hash(lock: str) -> None:
    """So no line can name an index, a host, a local file or an unpinned version."""
    previous = ""
    for number, line in enumerate((LOCKS / f"{lock}.txt").read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{lock}.txt:{number}"
        if not line.lstrip().startswith("#"):
            assert PIN.fullmatch(line) or HASH.fullmatch(line), f"{where}: {line!r} is neither a pin nor a hash"
        if PIN.fullmatch(previous):
            assert HASH.fullmatch(line), f"{where}: expected a hash after {previous!r}"
        previous = line


@pytest.mark.parametrize("lock", [*EXTRAS_OF_LOCK, *OTHER_LOCKS])
def test_no_lock_names_a_host_or_a_folder_of_a_machine(lock: str) -> None:
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    assert re.findall(r"://|index-url|find-links|@ |(?<![\w.])/[a-z]+/", text) == []


def test_the_weights_are_pinned_to_the_version_asked_for() -> None:
    """Nothing else stands in that lock: it is installed without dependencies."""
    wanted = Requirement((LOCKS / "weights.in").read_text(encoding="utf-8").strip())
    (only,) = _pins("weights").items()
    assert only[0] == wanted.name
    assert all(version in wanted.specifier for version in only[1])


def test_the_peers_are_pinned_and_what_they_do_without_is_absent() -> None:
    pins = _pins("peers")
    for requirement in _listed("peers.in"):
        assert requirement.name in pins, f"peers.txt lacks {requirement}: run `make lock`"
        assert all(version in requirement.specifier for version in pins[requirement.name])
    assert {requirement.name for requirement in _listed("peers-without.in")} & pins.keys() == set()


def test_no_lock_that_the_project_installs_has_a_peer() -> None:
    peers = {requirement.name for requirement in _listed("peers.in")} - {"rich"}
    for lock in EXTRAS_OF_LOCK:
        assert peers & _pins(lock).keys() == set(), lock


def test_locks_agree_on_the_version_of_what_they_share() -> None:
    """Save the oldest versions, and the environment of a library that asks for an older openai than the newest."""
    newest = _pins("dev")
    for lock in EXTRAS_OF_LOCK.keys() - {"floor", "adapters"}:
        for name, versions in _pins(lock).items():
            assert versions == newest.get(name, versions), f"{lock}.txt and dev.txt differ on {name}: run `make lock`"


def test_the_build_backend_is_in_the_locks_that_install_the_project() -> None:
    """They are installed from without build isolation, so they bring the backend themselves."""
    for lock in ("adapters", "demo", "dev", "floor"):
        assert {"setuptools", "wheel"} <= _pins(lock).keys()
