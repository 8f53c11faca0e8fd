"""A folder's name is its import name, `site` stays the standard library's, and games need nothing but Python."""

import ast
import importlib.util
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "games": ROOT / "games",
    "leaderboard": ROOT / "site" / "leaderboard",
    "protocol": ROOT / "protocol",
    "runner": ROOT / "runner",
    "s3gym": ROOT / "s3gym",
    "scoring": ROOT / "scoring",
}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_is_imported_from_its_own_folder(name: str) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).resolve() == PACKAGES[name] / "__init__.py"


def test_every_top_level_folder_with_an_init_is_a_known_package() -> None:
    found = {folder.name for folder in ROOT.iterdir() if (folder / "__init__.py").is_file()}
    assert found == {*PACKAGES, "benchmarks"} - {"leaderboard"}


def test_no_installed_package_stands_in_for_the_benchmarks() -> None:
    """Some old wheels bring a folder of that name, which would win over one without an init."""
    spec = importlib.util.find_spec("benchmarks")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).resolve() == ROOT / "benchmarks" / "__init__.py"


def test_import_site_from_the_project_folder_gives_the_standard_library() -> None:
    code = "import site; print(site.__file__)"
    printed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert Path(printed.strip()).resolve() == Path(sysconfig.get_path("stdlib")).resolve() / "site.py"


@pytest.mark.parametrize("name", PACKAGES)
def test_an_init_holds_only_a_docstring(name: str) -> None:
    """The face, which re-exports the public names, is the one exception at the top."""
    for path in sorted(PACKAGES[name].rglob("__init__.py")):
        if path == ROOT / "s3gym" / "__init__.py":
            continue
        body = ast.parse(path.read_text(encoding="utf-8")).body
        assert len(body) == 1, f"{path}: expected a docstring and nothing else"
        assert isinstance(body[0], ast.Expr), f"{path}: expected a docstring"
        assert isinstance(body[0].value, ast.Constant), f"{path}: expected a docstring"


def test_every_package_says_that_it_is_typed() -> None:
    assert [name for name, folder in PACKAGES.items() if not (folder / "py.typed").is_file()] == []


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def test_games_import_the_standard_library_and_themselves() -> None:
    """The import contract names the libraries it forbids; this one forbids every library."""
    allowed = sys.stdlib_module_names | {"games"}
    foreign = {str(path.relative_to(ROOT)): _imported(path) - allowed for path in (ROOT / "games").rglob("*.py")}
    assert {path: names for path, names in foreign.items() if names} == {}
