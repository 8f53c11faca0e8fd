"""Results are computed from verified records, as the protocol writes it."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest

from protocol.records import EpisodeRecord, Failure, Manifest
from scoring.flat import to_csv
from scoring.metric_terms import RUN_METRICS, RunMetric
from scoring.registry import Registry
from scoring.results import Results, Row
from scoring.run_metrics import run_metrics
from scoring.score import score
from scoring.verified import VerifiedBundle, VerifiedEpisode
from scoring.verify import verify
from tests.bundles import Board
from tests.scoring.forge import take_apart

JUDGING = (
    "agreement",
    "over_confidence",
    "under_confidence",
    "self_rate",
    "reward_rate",
    "base_rate",
    "nmae",
    "mae",
    "bias",
    "missing_scores",
)
"""What rests on exploration steps, not on checkpoints."""


@pytest.fixture(scope="module")
def paper(board: Board) -> VerifiedBundle:
    """A whole paper-1 run of two games."""
    return verify(board.bundle("history", protocol="paper-1", entry="red-paper"), Registry(board.keys))


def value(results: Results, metric: RunMetric, game: str = "trust") -> float | None:
    return row(results, metric, game).value


def row(results: Results, metric: RunMetric, game: str = "trust") -> Row:
    (found,) = [each for each in results.rows if each.metric == metric and each.game == game]
    return found


def with_scores(bundle: VerifiedBundle, scores: dict[int, float | None], game: str = "trust") -> VerifiedBundle:
    """Return a bundle whose strict episodes have the given checkpoint scores; None fails the first of three."""

    def changed(record: EpisodeRecord) -> EpisodeRecord:
        if record.phase != "strict" or record.checkpoint not in scores:
            return record
        wanted = scores[record.checkpoint]
        if wanted is None and record.index == 0:
            failure: Failure = "transport"
            return record.model_copy(update={"score": None, "status": "failed", "failure": failure, "end": None})
        return record.model_copy(update={"score": 1.0 if wanted is None else wanted})

    runs = tuple(
        dataclasses.replace(
            run,
            episodes=tuple(VerifiedEpisode(changed(each.record), each.replayed) for each in run.episodes),
        )
        if run.game.id == game
        else run
        for run in bundle.runs
    )
    return dataclasses.replace(bundle, runs=runs)


def renamed(bundle: VerifiedBundle, entry: str, **changes: object) -> VerifiedBundle:
    manifest = Manifest.model_validate(bundle.manifest.model_copy(update={"entry": entry, **changes}))
    return dataclasses.replace(bundle, manifest=manifest)


FLAT: dict[int, float | None] = dict.fromkeys(range(0, 31, 3), 2.0)


def test_metrics_follow_from_the_raw_files_of_the_bundle(board: Board, paper: VerifiedBundle) -> None:
    """Means are taken here from the JSON lines themselves, without the scorer."""
    parts = take_apart(board.bundle("history", protocol="paper-1", entry="red-paper"))
    results = score([paper])
    for game in ("snake", "trust"):
        means = []
        for x in range(0, 31, 3):
            scores = [each["score"] for each in parts.episodes(game) if each["checkpoint"] == x]
            assert len(scores) == 3
            means.append(sum(float(str(each)) for each in scores) / 3)
        assert value(results, "y0", game) == pytest.approx(means[0])
        assert value(results, "avg", game) == pytest.approx(sum(means) / 11)
        assert value(results, "max", game) == pytest.approx(max(means))
        assert value(results, "final_delta", game) == pytest.approx(means[10] - means[0])
        gains = [mean - means[0] for mean in means]
        area = 0.0
        for a, b in itertools.pairwise(gains):
            area += sum(max(0.0, a + (b - a) * (k + 0.5) / 3000) for k in range(3000)) * 3 / 3000
        assert value(results, "auc_plus", game) == pytest.approx(area, abs=1e-3)


@pytest.mark.parametrize("game", ["snake", "trust"])
def test_judging_follows_from_the_raw_files_of_the_bundle(board: Board, paper: VerifiedBundle, game: str) -> None:
    """Counted here from the JSON lines themselves, without the scorer."""
    (run,) = [run for run in paper.runs if run.game.id == game]
    found = run_metrics(paper.preset, run)
    parts = take_apart(board.bundle("history", protocol="paper-1", entry="red-paper"))
    low, high = paper.preset.games[game].judging_range
    pairs: list[tuple[float, float]] = []
    for episode in parts.episodes(game):
        steps = episode["steps"]
        assert isinstance(steps, list)
        for step in steps if episode["phase"] == "explore" else []:
            assert isinstance(step, dict)
            if step["score"] is not None and step["action"] != "END":
                pairs.append((float(str(step["score"])), float(str(step["reward"]))))
    assert len(pairs) > 100
    assert found.judging.agreement.n == len(pairs)
    assert found.judging.agreement.value == pytest.approx(sum((s > 0) == (r > 0) for s, r in pairs) / len(pairs))
    assert found.judging.over.value == pytest.approx(sum(s > 0 and r <= 0 for s, r in pairs) / len(pairs))
    assert found.judging.bias.value == pytest.approx(sum(s - r for s, r in pairs) / len(pairs))
    error = sum(abs(min(max(s, low), high) - r) / (high - low) for s, r in pairs) / len(pairs)
    assert found.judging.nmae.value == pytest.approx(error)
    assert found.noise_band == "x = 0 was played once"
    assert len(found.explored) == 30
    assert found.trend.value is not None
    assert found.band is not None
    assert found.band.median <= found.band.high


def test_a_failed_exploration_enters_no_judging_metric(paper: VerifiedBundle) -> None:
    (run,) = [run for run in paper.runs if run.game.id == "trust"]

    def failed(each: VerifiedEpisode) -> VerifiedEpisode:
        if each.record.phase != "explore" or each.record.index != 7:
            return each
        changes = {"status": "failed", "failure": "transport", "score": None, "end": None}
        return VerifiedEpisode(each.record.model_copy(update=changes), each.replayed)

    changed = dataclasses.replace(run, episodes=tuple(failed(each) for each in run.episodes))
    found = run_metrics(paper.preset, changed)
    assert [each.after for each in found.explored] == [i for i in range(30) if i != 7]
    assert found.judging.missing_share.n == 29 * 10


def test_A19_each_metric_has_its_own_value(paper: VerifiedBundle) -> None:
    """y = 2, 4, 4, ..: worked by hand. AUC+ = 3 (0 + 2) / 2 + 9 x 3 x 2 = 57."""
    results = score([with_scores(paper, FLAT | dict.fromkeys(range(3, 31, 3), 4.0) | {30: 3.0})])
    assert value(results, "y0") == 2.0
    assert value(results, "max") == 4.0
    assert value(results, "avg") == pytest.approx((2 + 9 * 4 + 3) / 11)
    assert value(results, "final_delta") == 1.0
    assert value(results, "auc_plus") == pytest.approx(3 + 8 * 6 + 4.5)


def test_A05_failing_the_worst_checkpoint_never_raises_a_rank_value(paper: VerifiedBundle) -> None:
    whole = score([with_scores(paper, FLAT | {3: 0.0, 6: 6.0})])
    gamed = score([with_scores(paper, FLAT | {3: None, 6: 6.0})])
    gamed_avg, whole_avg = value(gamed, "avg"), value(whole, "avg")
    assert gamed_avg is not None
    assert whole_avg is not None
    assert gamed_avg > whole_avg
    floor = value(gamed, "avg_floor")
    assert floor == pytest.approx((10 * 2 + 6 - 2 + 2) / 11)
    assert row(gamed, "avg").reason == "1 failed checkpoints left out"
    assert row(gamed, "avg").n == 10


def test_one_failed_checkpoint_is_ranked_by_the_lower_value_two_are_not_ranked(paper: VerifiedBundle) -> None:
    rival = renamed(with_scores(paper, FLAT | {9: 2.5}), "rival")
    one = score([with_scores(paper, FLAT | {3: None, 9: 3.0}), rival])
    run = next(run for run in one.entries[0].runs if run.game == "trust")
    assert run.ranked
    assert "failed checkpoints: 1" in run.marks
    two = score([with_scores(paper, FLAT | {3: None, 9: None}), rival])
    run = next(run for run in two.entries[0].runs if run.game == "trust")
    assert not run.ranked
    assert run.reason == "2 failed checkpoints"
    ranks = [rank for rank in two.ranks if rank.game == "trust" and rank.metric == "avg"]
    assert [(rank.entry, rank.rank, rank.n) for rank in ranks] == [("red-paper", None, 1), ("rival", 1, 1)]


@pytest.mark.parametrize("x", [0, 30])
def test_a_failed_first_or_last_checkpoint_is_not_ranked(paper: VerifiedBundle, x: int) -> None:
    results = score([with_scores(paper, FLAT | {x: None})])
    run = next(run for run in results.entries[0].runs if run.game == "trust")
    assert not run.ranked
    auc = row(results, "auc_plus")
    if x == 0:
        assert auc.value is None
        assert "no baseline" in (auc.reason or "")
    else:
        assert auc.value == 0.0
        assert auc.reason == "area up to x = 27 of 30"
        assert row(results, "final_delta").value is None


def test_every_checkpoint_failed_is_null_with_a_reason_not_zero(paper: VerifiedBundle) -> None:
    results = score([with_scores(paper, dict.fromkeys(FLAT, None))])
    for each in results.rows:
        if each.game == "trust" and each.metric not in JUDGING:
            assert each.value is None
            assert each.reason


def test_A04_equal_results_share_a_rank_whatever_the_order(paper: VerifiedBundle) -> None:
    twin, better = renamed(paper, "a-twin"), renamed(with_scores(paper, FLAT | {9: 30.0}), "z-better")
    results = [score(order) for order in itertools.permutations([paper, twin, better])]
    assert all(each == results[0] for each in results)
    ranks = {rank.entry: rank.rank for rank in results[0].ranks if rank.game == "trust" and rank.metric == "max"}
    assert ranks == {"z-better": 1, "a-twin": 2, "red-paper": 2}


def test_A06_an_entry_without_all_games_stands_outside_the_main_table(paper: VerifiedBundle) -> None:
    outside = score([paper]).entries[0].outside_main_table
    assert outside is not None
    assert outside.startswith("incomplete: 2 of 7 games")


def test_a_trial_protocol_is_never_ranked(board: Board) -> None:
    results = score([verify(board.bundle("history"), Registry(board.keys))])
    assert all(rank.rank is None for rank in results.ranks)
    assert results.entries[0].outside_main_table == "protocol smoke-1 is never ranked"


def test_SX_04_a_departure_from_the_protocol_is_shown_and_not_ranked(paper: VerifiedBundle) -> None:
    results = score([renamed(paper, "hot", deviations=("temperature: 2",))])
    assert all(rank.rank is None for rank in results.ranks)
    assert "temperature: 2" in (results.entries[0].runs[0].reason or "")


@pytest.mark.parametrize(("filtered", "ranked"), [(2, True), (3, False), (10, False)])
def test_EP_01_a_run_of_replies_without_the_models_words_is_flagged_and_not_ranked(
    paper: VerifiedBundle, filtered: int, ranked: bool
) -> None:
    """Of ten steps an episode so many are filtered; the bound is 20%. Scores stay what the replay gave."""

    def changed(record: EpisodeRecord) -> EpisodeRecord:
        steps = [step.model_copy(update={"finish": "content_filter"}) for step in record.steps[:filtered]]
        return record.model_copy(update={"steps": (*steps, *record.steps[filtered:])})

    runs = tuple(
        dataclasses.replace(
            run, episodes=tuple(VerifiedEpisode(changed(each.record), each.replayed) for each in run.episodes)
        )
        for run in paper.runs
    )
    (run,) = [each for each in score([dataclasses.replace(paper, runs=runs)]).entries[0].runs if each.game == "trust"]
    assert (run.ranked, run.filtered) == (ranked, 63 * filtered)
    assert ranked or "unreliable channel" in (run.reason or "")


def test_A16_protocols_and_pathways_never_share_a_table(paper: VerifiedBundle) -> None:
    options = paper.manifest.options.model_copy(update={"pathway": "summary"})
    results = score([paper, renamed(paper, "other", options=options)])
    assert all(rank.n == 1 for rank in results.ranks)


def test_two_bundles_of_one_entry_are_refused(paper: VerifiedBundle) -> None:
    with pytest.raises(ValueError, match="twice"):
        score([paper, paper])


def test_results_are_strict_json_and_the_same_bytes_again(paper: VerifiedBundle) -> None:
    results = score([paper])
    text = results.to_json()
    assert text == score([paper]).to_json()
    assert "NaN" not in text
    assert json.loads(text)["entries"][0]["entry"] == "red-paper"
    assert Results.model_validate_json(text) == results


def test_csv_cells_that_a_spreadsheet_would_run_are_defused(paper: VerifiedBundle) -> None:
    lines = to_csv(score([paper])).splitlines()
    assert lines[0].startswith("scope,protocol,pathway,entry,other,game,metric,value,n,low,high,reason,no_bounds")
    assert sum(line.startswith("run,") for line in lines) == 2 * len(RUN_METRICS)


def test_no_result_averages_raw_scores_over_games(paper: VerifiedBundle) -> None:
    for each in score([paper]).rows:
        assert each.game in {"snake", "trust"}
