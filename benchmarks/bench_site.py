"""Build the whole site for 100 entries, and build it again where nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from leaderboard.build import BuildReport, build_site
from leaderboard.site_entry import SiteEntry
from scoring.results import Results
from tests.site.factory import make_results, many, site_entry

ENTRIES = 100


@pytest.fixture(scope="module")
def told() -> tuple[list[SiteEntry], Results]:
    specs = many(ENTRIES)
    return [site_entry(spec) for spec in specs], make_results(specs)


def _note(benchmark: BenchmarkFixture, report: BuildReport, out: Path) -> None:
    benchmark.extra_info["pages"] = report.pages
    benchmark.extra_info["megabytes"] = round(report.bytes / 1e6, 1)
    benchmark.extra_info["largest page, kB"] = max(path.stat().st_size for path in out.rglob("*.html")) // 1000


def test_first_build(benchmark: BenchmarkFixture, told: tuple[list[SiteEntry], Results], tmp_path: Path) -> None:
    folders = (tmp_path / str(place) for place in range(100))
    report = benchmark.pedantic(lambda: build_site(*told, next(folders)), rounds=3)
    assert report.changed == report.files
    _note(benchmark, report, report.out)


def test_second_build(benchmark: BenchmarkFixture, told: tuple[list[SiteEntry], Results], tmp_path: Path) -> None:
    build_site(*told, tmp_path / "out")
    report = benchmark.pedantic(lambda: build_site(*told, tmp_path / "out"), rounds=3)
    assert report.changed == 0
    _note(benchmark, report, report.out)
