"""Every metric of a run in signs; its words are the scorer's."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.metric_terms import RunMetric

FORMULAS: Mapping[RunMetric, str] = {
    "y0": "y(0) = mean of the strict scores at x = 0, over all its R repeats; with R ≥ 2 the next one lies within "
    "their mean of the repeats ± t(R − 1) · s · √(1 + 1/R) (95%)",
    "avg": "Avg = (1/K) Σ y(xₖ) over the K valid checkpoints; repeats of x = 0 count once",
    "max": "Max = max y(xₖ)",
    "worst": "worst = min y(xₖ)",
    "last": "last = y at the last checkpoint of the protocol",
    "final_delta": "final Δ = y(last) − y(0)",
    "auc_plus": (
        "AUC+ = ∫ max(0, y(x) − y(0)) dx from x = 0 to the last checkpoint, with y straight between valid "
        "checkpoints; interpolated first, then clipped. With a = y(xₖ) − y(0), b = y(xₖ₊₁) − y(0) and a gap h, "
        "a piece adds h(a + b)/2 if both are ≥ 0, h·max(a, b)² / (2(|a| + |b|)) if their signs differ, else 0"
    ),
    "auc_minus": "AUC− = ∫ max(0, y(0) − y(x)) dx, in the same way",
    "net_area": "net area = AUC+ − AUC− = ∫ (y(x) − y(0)) dx, which is linear in the checkpoints",
    "naba": "NABA = AUC+ / y(0); AUC+ / eps where y(0) ≤ 0; 0 where no checkpoint is positive and AUC+ = 0",
    "naba_eps": "eps = the first y(xₖ) > 0, where y(0) ≤ 0",
    "avg_floor": "as Avg, with y = min y(xₖ) at failed checkpoints",
    "auc_plus_floor": "as AUC+, with y = min y(xₖ) at failed checkpoints",
    "noise": "σ² = Σ (y(xₖ) − a − b√xₖ)² / (K − 2), with a and b by least squares. A linear functional Σ wₖ y(xₖ), "
    "such as Avg, a difference or net area, has the interval ± t(K − 2) · σ · √(Σ wₖ²)",
    "auc_plus_luck_median": "the median of AUC+ over orders of the same checkpoint means",
    "auc_plus_luck_high": "the smallest AUC+ that at least 95% of those orders do not exceed",
    "trend_p": "T = Σ (√xₖ − mean √x) · y(xₖ); p = share of orders of the checkpoint means with a T at least as "
    "large: all orders of up to 7 checkpoints, else 9,999 random ones and the one seen",
    "trend_p_adjusted": "of the i-th smallest p of an entry’s m games: the least of m · pⱼ / j over j ≥ i, at most 1",
    "agreement": "A = share of steps with (s > 0) = (r > 0), with self-score s and verifier reward r",
    "over_confidence": "over = share of steps with s > 0 and r ≤ 0; A + over + under = 1",
    "under_confidence": "under = share of steps with s ≤ 0 and r > 0",
    "self_rate": "p(s) = share of steps with s > 0; p(s) − p(r) = over − under",
    "reward_rate": "p(r) = share of steps with r > 0",
    "base_rate": "base rate = 1 − p(r)",
    "nmae": "NMAE = mean |s′ − r′|, where v′ = (v − low) / (high − low), clipped to 0..1, by the game’s judging range",
    "mae": "MAE = mean |s − r|",
    "bias": "bias = mean (s − r)",
    "missing_scores": "missing = steps without a self-score / all steps that are not END",
}
